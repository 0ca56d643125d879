//! Which servers a setting enables: the one expansion that starting, offering, completion, listing and delegates share
//! (S5). It reads no configuration and starts nothing.

use crate::ServerName;
use std::collections::{BTreeMap, BTreeSet};

/// The word that stands for every server.
const ALL: &str = "all";

/// What a setting enables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Enabled {
    /// The servers, in order, each once.
    pub servers: Vec<ServerName>,
    /// Entries that name no server and no alias, each once.
    pub unknown: Vec<String>,
}

/// Expands `setting` (`None`: every server of `all`) against the known servers and the aliases of `mapping_mcp_servers`
/// (comma strings). `known` is every configured server; `members_of_all` those that `all` stands for.
///
/// An entry is a server's name first, then an alias, then `all`, then a comma list of such entries; an alias that names
/// itself, directly or not, adds nothing more.
///
/// ```
/// use mcp_catalog::{ServerName, expand_enabled};
/// use std::collections::BTreeMap;
///
/// # fn main() -> Result<(), mcp_catalog::NameError> {
/// let known = [ServerName::new("git")?, ServerName::new("docs")?];
/// let aliases = BTreeMap::from([("work".to_owned(), vec!["docs , git".to_owned()])]);
/// let enabled = expand_enabled(Some(&["work".to_owned(), "gti".to_owned()]), &known, &known, &aliases);
/// assert_eq!(enabled.servers, [ServerName::new("docs")?, ServerName::new("git")?]);
/// assert_eq!(enabled.unknown, ["gti"]);
/// # Ok(()) }
/// ```
pub fn expand_enabled(
    setting: Option<&[String]>,
    known: &[ServerName],
    members_of_all: &[ServerName],
    aliases: &BTreeMap<String, Vec<String>>,
) -> Enabled {
    let mut expansion =
        Expansion { known, members_of_all, aliases, used: BTreeSet::new(), enabled: Enabled::default() };
    match setting {
        None => expansion.all(),
        Some(entries) => entries.iter().for_each(|entry| expansion.entry(entry)),
    }
    expansion.enabled
}

struct Expansion<'a> {
    known: &'a [ServerName],
    members_of_all: &'a [ServerName],
    aliases: &'a BTreeMap<String, Vec<String>>,
    /// The aliases that were expanded: each once, so that a cycle ends.
    used: BTreeSet<&'a str>,
    enabled: Enabled,
}

impl Expansion<'_> {
    fn entry(&mut self, entry: &str) {
        let entry = entry.trim();
        if entry.is_empty() {
            return;
        }
        if let Some(server) = self.known.iter().find(|server| server.as_str() == entry) {
            self.server(server);
        } else if let Some((alias, members)) = self.aliases.get_key_value(entry) {
            if self.used.insert(alias) {
                for member in members {
                    self.entry(member);
                }
            }
        } else if entry == ALL {
            self.all();
        } else if entry.contains(',') {
            entry.split(',').for_each(|part| self.entry(part));
        } else if !self.enabled.unknown.iter().any(|known| known == entry) {
            self.enabled.unknown.push(entry.to_owned());
        }
    }

    fn all(&mut self) {
        for server in self.members_of_all {
            self.server(server);
        }
    }

    fn server(&mut self, server: &ServerName) {
        if !self.enabled.servers.contains(server) {
            self.enabled.servers.push(server.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Enabled, expand_enabled};
    use crate::ServerName;
    use proptest::prelude::*;
    use rstest::rstest;
    use std::collections::{BTreeMap, BTreeSet};

    fn names(names: &[&str]) -> Vec<ServerName> {
        names.iter().map(|name| ServerName::new(name).unwrap()).collect()
    }

    /// Expands over the servers `git`, `docs`, `work`, `a,b` and `off`, of which `all` leaves `off` out.
    fn expand(setting: Option<&[&str]>) -> Enabled {
        let known = names(&["git", "docs", "work", "a,b", "off"]);
        let aliases = [("dev", "git , docs,git"), ("work", "docs"), ("loop", "loop,pool,git"), ("pool", "loop,off")];
        let aliases: BTreeMap<_, _> = aliases.iter().map(|(k, v)| ((*k).to_owned(), vec![(*v).to_owned()])).collect();
        let setting: Option<Vec<String>> = setting.map(|s| s.iter().map(|entry| (*entry).to_owned()).collect());
        expand_enabled(setting.as_deref(), &known, &known[..4], &aliases)
    }

    #[rstest]
    #[case::literal(&["docs", "git"], &["docs", "git"], &[])]
    #[case::alias(&["dev"], &["git", "docs"], &[])]
    #[case::literal_before_alias(&["work"], &["work"], &[])]
    #[case::all(&["docs", "all"], &["docs", "git", "work", "a,b"], &[])]
    #[case::trimmed(&["  git ", "", " "], &["git"], &[])]
    #[case::comma_list(&["docs, dev"], &["docs", "git"], &[])]
    #[case::comma_in_a_name(&["a,b"], &["a,b"], &[])]
    #[case::cycle(&["loop"], &["off", "git"], &[])]
    #[case::unknown_once(&["gti", "git", "gti", "no"], &["git"], &["gti", "no"])]
    #[case::left_out_of_all(&["off"], &["off"], &[])]
    #[case::nothing(&[], &[], &[])]
    fn a_setting_is_expanded_in_order_and_each_server_once(
        #[case] setting: &[&str],
        #[case] servers: &[&str],
        #[case] unknown: &[&str],
    ) {
        let enabled = expand(Some(setting));
        assert_eq!(enabled.servers, names(servers));
        assert_eq!(enabled.unknown, unknown);
    }

    #[test]
    fn no_setting_enables_the_members_of_all() {
        assert_eq!(expand(None).servers, names(&["git", "docs", "work", "a,b"]));
    }

    proptest! {
        #[test]
        fn only_known_servers_are_enabled_and_none_twice(setting in proptest::collection::vec("git|docs|dev|all|loop|x|[a-z,]{0,5}", 0..8)) {
            let entries: Vec<&str> = setting.iter().map(String::as_str).collect();
            let enabled = expand(Some(&entries));
            let once: BTreeSet<_> = enabled.servers.iter().collect();
            prop_assert_eq!(once.len(), enabled.servers.len());
            prop_assert!(enabled.servers.iter().all(|server| names(&["git", "docs", "work", "a,b", "off"]).contains(server)));
            let unknown: BTreeSet<_> = enabled.unknown.iter().collect();
            prop_assert_eq!(unknown.len(), enabled.unknown.len());
        }
    }
}
