//! Tests `residue list`.

use crate::common::{hex, residue, typed};
use residue::Code;
use residue::crc::catalog;

#[test]
fn json_has_every_code_and_kernel() {
    let list = typed("list --json").run();
    list.ends(0);
    let list = list.json();
    let codes = list["codes"].as_array().unwrap();
    assert_eq!(codes.len(), Code::all().count());
    let mut crcs = 0;
    for (listed, code) in codes.iter().zip(Code::all()) {
        assert_eq!(listed["name"], code.name());
        assert_eq!(listed["width"], code.width());
        assert_eq!(listed["check"], hex(&code, code.value(b"123456789")));
        if let Some(params) = code.params() {
            crcs += 1;
            assert_eq!(listed["check"], hex(&code, params.check));
            assert_eq!(listed["residue"], hex(&code, params.residue));
            assert_eq!(listed["poly"], hex(&code, params.poly));
        }
        assert_eq!(listed["chosen"], code.chosen().name);
        let kernels = listed["kernels"].as_array().unwrap();
        assert_eq!(kernels.len(), code.kernels().count());
        for (listed, kernel) in kernels.iter().zip(code.kernels()) {
            assert_eq!(listed["name"], kernel.name);
            assert_eq!(listed["role"], kernel.role.name());
            assert_eq!(listed["supported"], kernel.supported());
            assert_eq!(listed["needs"].as_array().unwrap().len(), kernel.needs.names().count());
        }
        assert_eq!(kernels.iter().filter(|kernel| kernel["chosen"] == true).count(), 1);
    }
    assert!(crcs >= 113);
}

/// The names are repeated here, because a kernel could otherwise vanish from program and test
/// alike. Every CPU lists the kernels of all CPUs.
#[test]
fn no_kernel_is_lost() {
    let crc = "bitwise bitwise_msb nibble bytewise slicing4 slicing8 slicing16 pclmul \
               avx2_vpclmul avx512_vpclmul avx512_gfni pmull pmull_eor3";
    let crc32c = "bitwise bitwise_msb nibble bytewise slicing4 slicing8 slicing16 sse42 \
                  sse42_head sse42_pclmul sse42_tables sse42_avx2_vpclmul sse42_avx512_gfni \
                  pclmul sse42_pclmul_fold avx2_vpclmul sse42_avx2_vpclmul_fused avx512_vpclmul \
                  avx512_gfni crc crc_head crc_pmull_three_way crc_pmull crc_pmull_eor3 pmull";
    let mut lost = Vec::new();
    let own = "width=24,poly=5d6dcb,init=1";
    for (code, kernels) in [
        ("crc-32/iscsi", crc32c),
        ("crc-16/arc", crc),
        ("crc-32/bzip2", crc),
        ("crc-5/usb", crc),
        ("crc-64/nvme", crc),
        (own, crc),
        ("internet", "word16 word16_scalar word32 word32_scalar word64 adc sse2 avx2"),
        ("fletcher-16", "simple deferred pairs pairs_double rfc1008 quads avx2"),
        ("fletcher-32", "deferred f16 f16_indexed avx2"),
        ("adler-32", "bytewise deferred avx2"),
        ("xns", "words columns portable"),
    ] {
        let list = residue(["list", "--json", code]).run().json();
        let listed: Vec<&str> = list["codes"][0]["kernels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|kernel| kernel["name"].as_str().unwrap())
            .collect();
        let missing = kernels.split_whitespace().filter(|name| !listed.contains(name));
        lost.extend(missing.map(|name| format!("{code} {name}")));
    }
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn the_table_names_every_code() {
    let list = typed("list").run();
    let text = list.ends(0);
    for code in Code::all() {
        let value = hex(&code, code.value(b"123456789"));
        let line = text.lines().find(|line| line.split(' ').next() == Some(code.name()));
        let line = line.unwrap_or_else(|| panic!("{code}"));
        assert!(line.split_whitespace().any(|word| word == value), "{line}");
    }
    assert!(text.contains("CPU features found: "));
    assert!(!text.contains('\x1b'), "colour in a pipe");
}

#[test]
fn one_code_whole() {
    let list = typed("list CRC32C").run();
    let text = list.ends(0);
    for part in [
        "crc-32/iscsi",
        "1edc6f41",
        "82f63b78",
        "05ec76f1",
        "8f6e37a0",
        "11edc6f41",
        "b798b438",
        "e3069283",
        "castagnoli",
        "x^32 + x^28",
        "slicing8",
        "historical",
        "chosen",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let all = typed("list xns width=16,poly=1021,init=ffff cksum").run();
    let text = all.ends(0);
    assert!(text.contains("width=16,poly=1021,init=ffff,refin=false,refout=false,xorout=0\n"));
    assert!(text.contains("29b1"));
    for alias in catalog::ALIASES {
        let listed = residue(["list", "--json", alias.0]).run().json();
        assert_eq!(listed["codes"][0]["name"], alias.1.name);
    }
}

#[test]
fn the_widest_polynomials() {
    let list = typed("list --json width=128,poly=87 width=1,poly=1").run().json();
    let notations = &list["codes"][0]["notations"];
    assert_eq!(notations["explicit"], "100000000000000000000000000000087");
    assert_eq!(notations["terms"], "x^128 + x^7 + x^2 + x + 1");
    assert_eq!(list["codes"][1]["notations"]["terms"], "x + 1");
}
