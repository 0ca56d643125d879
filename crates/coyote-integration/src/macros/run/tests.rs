//! Steps over a runner that refuses some of them.

use super::*;

#[derive(Default)]
struct Recorded {
    told: Vec<String>,
}

impl StepRunner for Recorded {
    fn echo(&mut self, step: &Step) {
        self.told.push(format!("> {}", step.shown()));
    }

    fn run(&mut self, step: Step) -> Stepping<'_> {
        Box::pin(async move {
            self.told.push(format!("{step:?}"));
            match step.shown() {
                "bad" => Err(Refusal::given("It is bad", "Do better")),
                shown => Ok(shown != "leave"),
            }
        })
    }
}

fn lines(lines: &[&str]) -> Vec<Step> {
    lines.iter().map(|line| Step::Line((*line).to_owned())).collect()
}

#[tokio::test]
async fn each_step_is_shown_and_then_run_and_the_first_that_fails_is_the_last() {
    let mut runner = Recorded::default();
    let fault = run_steps(&mut runner, lines(&["a", "bad", "c"])).await.unwrap_err();
    assert_eq!(runner.told, ["> a", "Line(\"a\")", "> bad", "Line(\"bad\")"]);
    let refusal = Refusal::from(fault);
    assert_eq!(
        (refusal.sentence.as_str(), refusal.hint.as_str()),
        ("The macro stopped at step 2 of 3: It is bad", "Do better")
    );
    assert_eq!(run_steps(&mut runner, lines(&["leave", "c"])).await, Ok(false));
    assert_eq!(run_steps(&mut runner, lines(&["a", "c"])).await, Ok(true));
}
