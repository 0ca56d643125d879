//! Sharing out an answer among blocks: short ones stay whole, long texts get equal shares.
//!
//! Arithmetic only; it sees no content.

use crate::BLOCK_SHARE_MIN_BYTES;

/// What a block needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    /// Its length when whole.
    pub size: usize,
    /// Whether it is whole or not at all.
    pub fixed: bool,
}

impl Need {
    fn least(self) -> usize {
        if self.fixed { self.size } else { self.size.min(BLOCK_SHARE_MIN_BYTES) }
    }
}

/// Who gets how much.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// How many blocks stay, from the first on.
    pub kept: usize,
    /// The longest that a text may be, its marker included.
    pub text_max: usize,
}

/// Shares out `room` bytes; `reserve` of them are left for a marker when blocks have to be omitted.
pub(super) fn shares(needs: &[Need], room: usize, reserve: usize) -> Shares {
    if needs.iter().map(|need| need.size).sum::<usize>() <= room {
        return Shares { kept: needs.len(), text_max: usize::MAX };
    }
    if needs.iter().map(|need| need.least()).sum::<usize>() <= room {
        return Shares { kept: needs.len(), text_max: level(needs, room) };
    }
    let room = room.saturating_sub(reserve);
    let mut used = 0;
    let fits = |need: &&Need| {
        used += need.least();
        used <= room
    };
    let kept = needs.iter().take_while(fits).count();
    match (kept, needs.first()) {
        // Nothing but a marker would say too little; the first text is shown as far as it goes.
        (0, Some(Need { fixed: false, .. })) => Shares { kept: 1, text_max: room },
        _ => Shares { kept, text_max: level(needs.get(..kept).unwrap_or_default(), room) },
    }
}

/// The level up to which every text can be filled.
fn level(needs: &[Need], room: usize) -> usize {
    let fixed: usize = needs.iter().filter(|need| need.fixed).map(|need| need.size).sum();
    let mut texts: Vec<_> = needs.iter().filter(|need| !need.fixed).map(|need| need.size).collect();
    texts.sort_unstable();
    let mut left = room.saturating_sub(fixed);
    for (i, size) in texts.iter().enumerate() {
        let even = left / (texts.len() - i);
        if *size > even {
            return even;
        }
        left -= size;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn text(size: usize) -> Need {
        Need { size, fixed: false }
    }

    #[test]
    fn short_texts_stay_whole_and_long_ones_share_evenly() {
        let needs = [text(100_000), text(10), text(50_000), text(3_000)];
        assert_eq!(shares(&needs, 40_010, 2_048), Shares { kept: 4, text_max: 18_500 });
        assert_eq!(shares(&needs, 153_010, 2_048), Shares { kept: 4, text_max: usize::MAX });
    }

    #[test]
    fn blocks_without_room_for_a_share_are_omitted_from_the_end() {
        let needs = vec![text(2_000); 100];
        assert_eq!(shares(&needs, 17_408, 2_048), Shares { kept: 10, text_max: 1_536 });
    }

    proptest! {
        #[test]
        fn shares_never_exceed_the_room(
            needs in prop::collection::vec((0usize..20_000, any::<bool>()), 0..60),
            room in 4_000usize..200_000,
        ) {
            let needs: Vec<_> = needs.into_iter().map(|(size, fixed)| Need { size: if fixed { size / 20 } else { size }, fixed }).collect();
            let Shares { kept, text_max } = shares(&needs, room, 2_048);
            let sent = |need: &Need| if need.fixed { need.size } else { need.size.min(text_max) };
            let used: usize = needs[..kept].iter().map(sent).sum();
            let marker = if kept < needs.len() { 2_048 } else { 0 };
            prop_assert!(used + marker <= room);
            prop_assert!(kept == needs.len() || kept > 0 || needs[0].fixed);
        }
    }
}
