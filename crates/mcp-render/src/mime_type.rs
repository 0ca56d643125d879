//! Mime types: the file extension of a claim, by a fixed table (S33).
//!
//! The claim is the server's string and never reaches a path: only the table's own words do (C67). Nothing is guessed.

/// The table: essence, extension. The first row of an extension is what a stored file is called back by.
const TABLE: [(&str, &str); 30] = [
    ("application/gzip", "gz"),
    ("application/x-gzip", "gz"),
    ("application/json", "json"),
    ("application/pdf", "pdf"),
    ("application/zip", "zip"),
    ("application/x-zip-compressed", "zip"),
    ("audio/mpeg", "mp3"),
    ("audio/mp3", "mp3"),
    ("audio/wav", "wav"),
    ("audio/x-wav", "wav"),
    ("audio/wave", "wav"),
    ("audio/vnd.wave", "wav"),
    ("audio/ogg", "ogg"),
    ("video/ogg", "ogg"),
    ("application/ogg", "ogg"),
    ("image/gif", "gif"),
    ("image/jpeg", "jpg"),
    ("image/jpg", "jpg"),
    ("image/png", "png"),
    ("image/webp", "webp"),
    ("image/svg+xml", "svg"),
    ("text/csv", "csv"),
    ("text/markdown", "md"),
    ("text/html", "html"),
    ("application/xml", "xml"),
    ("text/xml", "xml"),
    ("text/plain", "txt"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
    ("audio/webm", "webm"),
];

/// The extension of everything that the table does not know.
const OTHER: &str = "bin";

/// The extension for a claimed mime type.
pub(crate) fn extension(claim: Option<&str>) -> &'static str {
    let Some(essence) = claim.map(essence) else { return OTHER };
    TABLE.iter().find(|(mime, _)| *mime == essence).map_or(OTHER, |(_, ext)| ext)
}

/// The mime type that a stored extension stands for; `None` for `bin`.
pub(crate) fn of_extension(ext: &str) -> Option<&'static str> {
    TABLE.iter().find(|(_, known)| *known == ext).map(|(mime, _)| *mime)
}

/// Every extension that a stored file can have, each once.
pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
    let firsts = TABLE.iter().enumerate().filter(|(i, (_, ext))| TABLE.iter().position(|(_, e)| e == ext) == Some(*i));
    firsts.map(|(_, (_, ext))| *ext).chain([OTHER])
}

/// The lower-cased type and subtype without parameters.
fn essence(claim: &str) -> String {
    claim.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_comes_from_the_fixed_table_by_lower_cased_essence() {
        for (claim, ext) in [
            ("text/plain; charset=utf-8", "txt"),
            ("Image/PNG", "png"),
            (" application/JSON ", "json"),
            ("text/html;profile=mcp-app", "html"),
            ("application/octet-stream", "bin"),
            ("image/jpeg", "jpg"),
            ("audio/mpeg", "mp3"),
            ("text/markdown", "md"),
            ("application/gzip", "gz"),
        ] {
            assert_eq!(extension(Some(claim)), ext, "{claim}");
        }
        assert_eq!(extension(None), "bin");
    }

    #[test]
    fn hostile_mime_strings_fall_back_to_bin() {
        for claim in
            ["a/../../sh", "text/../x", "image/png/../../x", "", ";", "text/plаin", "x/\u{202e}gnp", "../../etc/passwd"]
        {
            assert_eq!(extension(Some(claim)), "bin", "{claim}");
        }
    }

    #[test]
    fn every_extension_is_listed_once_and_is_plain() {
        let all: Vec<_> = extensions().collect();
        let mut unique = all.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), all.len());
        assert!(all.iter().all(|e| e.len() <= 4 && e.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())));
        assert!(all.iter().all(|e| *e == "bin" || extension(of_extension(e)) == *e));
    }
}
