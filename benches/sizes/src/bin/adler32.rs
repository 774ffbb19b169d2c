#![cfg_attr(target_os = "none", no_std, no_main)]

sizes::program!(residue::adler32);
