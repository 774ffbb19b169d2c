use super::Imports;

fn uses(texts: &[(&str, &str)]) -> Vec<String> {
    let imports = Imports::new(texts);
    imports.uses().map(|(from, to, _)| format!("{} {}", from.display(), to.display())).collect()
}

#[test]
fn every_form_of_use_is_read() {
    let lib = "pub use a::deep::Item;\nmod a;\nmod b;\npub mod face { pub use crate::a::deep::*; }";
    let tree = |code| {
        uses(&[
            ("lib.rs", lib),
            ("a.rs", "pub fn own() {}\n#[macro_export]\nmacro_rules! made { () => {} }"),
            ("a/deep.rs", "pub struct Item;"),
            ("b/c.rs", code),
        ])
    };
    for code in [
        "use crate::Item;",
        "use crate::{Other, a::{own as mine, deep::{self, Item}}};",
        "use crate::a::deep;\nfn f() { deep::Item::new() }",
        "use super::super::Item;",
        "pub use crate::Item;\nfn f(item: Item) {}",
        "macro_rules! m { () => { $crate::a::deep::Item } }",
        "use crate::face::Item;",
        "use crate::face::*;\nfn f() { Item::new() }",
        "mod inner { use super::super::super::a::deep::Item; }",
        "fn f() { let x = b'\\''; let y = '\"'; crate::Item::new() }",
    ] {
        assert!(tree(code).contains(&"b/c.rs a/deep.rs".into()), "{code}: {:?}", tree(code));
    }
    assert_eq!(tree("crate::made! {}"), ["b/c.rs a.rs"]);
    for code in [
        "// crate::Item",
        "/// crate::Item",
        "const TEXT: &str = \"crate::Item\";",
        "const TEXT: &str = r#\"\"crate::Item\"#;",
        "use crate::a::deep;",
        "pub use crate::Item;",
        "use std::a::deep::Item;",
        "#[cfg(test)]\nmod tests {\n    use crate::Item;\n}",
        "#[cfg(test)]\nuse crate::{Item, a::own};\nfn f() {}",
    ] {
        assert_eq!(tree(code), [""; 0], "{code}");
    }
}

#[test]
fn a_planted_circle_is_found() {
    let up = ("a/deep.rs", "use crate::b::two;\npub fn one() {}");
    let files = |b| [("lib.rs", "mod a; mod b;"), ("a.rs", "mod deep;"), up, ("b.rs", b)];
    let straight = Imports::new(&files("pub fn two() {}"));
    assert!(straight.circles().is_empty());
    let round = Imports::new(&files("pub fn two() { super::a::deep::one() }"));
    let [circle] = &round.circles()[..] else { panic!("one circle") };
    assert_eq!(circle.folders.len(), 2);
    assert_eq!(
        circle.uses,
        ["a/deep.rs -> b.rs (crate::b::two)", "b.rs -> a/deep.rs (super::a::deep::one)"]
    );
    // The file of a module belongs to its folder.
    let inside = Imports::new(&[
        ("a.rs", "use deep::one;\npub fn own() {}"),
        ("a/deep.rs", "use super::own;\npub fn one() {}"),
    ]);
    assert_eq!(inside.circles()[0].folders.iter().collect::<Vec<_>>(), ["a"]);
}
