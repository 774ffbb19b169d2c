//! A profile in Rust.

use super::LENGTHS;
use residue::cpu::Profile;
use residue_report::text::day;
use std::time::SystemTime;

/// Returns the day, UTC.
pub(super) fn date() -> String {
    day(&humantime::format_rfc3339_seconds(SystemTime::now()).to_string())
}

/// Returns a profile as an entry of `PROFILES` in Rust, with figures from `source`.
///
/// The profile for unknown CPUs becomes one of `cpu`, with a name to be replaced. `notes` are
/// comments on fields; fields that no comparison finds are marked as well.
pub(super) fn entry(profile: &Profile, cpu: &str, source: &str, notes: &[(&str, &str)]) -> String {
    let unknown = profile.name == "unknown";
    let mut text = "Profile {\n".to_string();
    // The derived form of a structure of numbers and texts is Rust. Names of enums are added.
    for line in format!("{profile:#?}").lines() {
        let Some((field, value)) = line.trim().trim_end_matches(',').split_once(": ") else {
            continue;
        };
        let given = match field {
            "name" if unknown => "\"new\"".to_string(),
            "cpus" if unknown => format!("{cpu:?}"),
            "source" => format!("{source:?}"),
            "product" => format!("Product::{value}"),
            "reads_ahead" => match profile.reads_ahead {
                Some(way) => format!("Some(ReadAhead::{way:?})"),
                None => "None".to_string(),
            },
            _ => value.to_string(),
        };
        let known = ["name", "cpus", "source", "product"].into_iter();
        let found = known.chain(LENGTHS.iter().map(|length| length.field)).any(|one| one == field);
        let note = notes.iter().find(|(noted, _)| *noted == field).map(|(_, why)| *why);
        let note = note.or((!found).then_some("not measured"));
        let note = note.map(|why| format!(" // {why}: as built in")).unwrap_or_default();
        text += &format!("    {field}: {given},{note}\n");
    }
    text + "},\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::cpu::PROFILES;

    /// Returns the lines of a profile without comments, and with numbers as the compiler sees them.
    fn fields(text: &str) -> Vec<String> {
        let line = |line: &str| {
            let code = line.split("//").next().unwrap_or("").trim().trim_end_matches(',');
            let (field, value) = code.split_once(": ")?;
            let number = |text: &str| text.replace('_', "").parse::<usize>().ok();
            let product = |(a, b): (&str, &str)| match (number(a), number(b)) {
                (Some(a), Some(b)) => Some((a << b).to_string()),
                _ => None,
            };
            let value = value.split_once(" << ").and_then(product).unwrap_or(value.to_string());
            Some(format!("{field}: {value}"))
        };
        text.lines().filter_map(line).collect()
    }

    #[test]
    fn the_entry_of_a_built_in_profile_is_its_source() {
        let source = include_str!("../../../residue/src/cpu/profile.rs");
        let start = "INTEL_AVX512: Profile = Profile {\n";
        let body = source.split_once(start).and_then(|(_, after)| after.split_once("};"));
        let (body, _) = body.expect("a profile");
        let profile = Profile::named("intel_avx512").expect("a profile");
        let written = entry(profile, "", profile.source, &[]);
        assert_eq!(fields(&written), fields(body));
        assert!(written.starts_with("Profile {\n    name: \"intel_avx512\",\n"));
        assert!(written.contains("    product: Product::CarryLess,\n"));
    }

    #[test]
    fn every_length_is_a_field_of_its_own() {
        for (i, length) in LENGTHS.iter().enumerate() {
            let mut profile = PROFILES[0];
            *(length.value)(&mut profile) = 123_456 + i;
            let line = format!("    {}: {},", length.field, 123_456 + i);
            assert!(entry(&profile, "", "", &[]).contains(&line), "{line}");
        }
    }

    #[test]
    fn comments_and_unknown_cpus() {
        let unknown = Profile::named("unknown").expect("a profile");
        let notes = [("few_from", "not found")];
        let written = entry(unknown, "VIA \"C7\" family 6", "VIA C7 family 6, 2026-11-23", &notes);
        let from = unknown.few_from;
        for line in [
            "    name: \"new\",\n",
            "    cpus: \"VIA \\\"C7\\\" family 6\",\n",
            &format!("    few_from: {from}, // not found: as built in\n"),
            "    source: \"VIA C7 family 6, 2026-11-23\",\n},\n",
        ] {
            assert!(written.contains(line), "{line} {written}");
        }
        assert_eq!(date().len(), 10);
    }
}
