//! Compiles and runs the functions of every language, and compares their values with the
//! definition.

use crate::params;
use residue::crc::Params;
use residue_identify::source::{Language, Method};
use residue_testing::{Random, installed};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The CRCs that take many inputs.
const MANY: [&str; 10] = [
    "crc-3/gsm",
    "crc-5/usb",
    "crc-8/smbus",
    "crc-12/umts",
    "crc-16/modbus",
    "crc-16/ibm-3740",
    "crc-24/openpgp",
    "crc-32/iso-hdlc",
    "crc-32/iscsi",
    "crc-64/xz",
];
const INPUTS: usize = 1000;
/// Number of inputs of every other CRC.
const FEW: usize = 24;

/// An input: a place in the random bytes, a length, and where it is cut into two pieces.
#[derive(Clone, Copy)]
struct Input {
    at: usize,
    length: usize,
    cut: usize,
}

/// Random bytes, and the inputs in them.
struct Data {
    bytes: Vec<u8>,
    inputs: Vec<Input>,
}

impl Data {
    fn new() -> Data {
        let mut random = Random(0);
        let mut bytes = random.bytes(4096);
        bytes[..9].copy_from_slice(b"123456789");
        let mut inputs = vec![
            Input { at: 0, length: 9, cut: 0 },
            Input { at: 0, length: 0, cut: 0 },
            Input { at: 0, length: 9, cut: 4 },
        ];
        inputs.resize_with(INPUTS, || {
            let length = random.below(120);
            let cut = random.below(length + 1);
            Input { at: random.below(4096 - length), length, cut }
        });
        Data { bytes, inputs }
    }
}

/// A function to test, and the number of inputs it takes.
struct Function {
    language: Language,
    /// The CRC, whose name has the method appended.
    params: Params,
    method: Method,
    inputs: usize,
}

impl Function {
    fn name(&self) -> String {
        self.language.function(&self.params)
    }

    fn source(&self) -> String {
        self.language.source(&self.params, self.method).unwrap()
    }
}

/// Returns all functions that a language has.
fn functions(language: Language) -> Vec<Function> {
    let mut all = Vec::new();
    for params in params::all() {
        for method in Method::ALL {
            if language.source(&params, method).is_err() {
                continue;
            }
            let name = Box::leak(
                format!("{}/{method:?}", params.name.replace('/', "/of-")).to_lowercase().into(),
            );
            let inputs = if MANY.contains(&params.name) { INPUTS } else { FEW };
            all.push(Function { language, params: Params { name, ..params }, method, inputs });
        }
    }
    all
}

/// Returns an empty folder for a language, with the random bytes in `bytes` and a line
/// `AT LENGTH CUT` for each input in `inputs`.
fn folder(language: Language, data: &Data) -> PathBuf {
    let name = format!("residue-snippets-{}-{language:?}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    write(&folder.join("bytes"), &data.bytes);
    let line = |it: &Input| format!("{} {} {}\n", it.at, it.length, it.cut);
    write(&folder.join("inputs"), data.inputs.iter().map(line).collect::<String>());
    folder
}

fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Runs a program, which must succeed, and returns what it prints.
fn good(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}",
        said.chars().take(4000).collect::<String>()
    );
    assert!(said.is_empty(), "{command:?} warns: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Compares printed values, a hexadecimal number on a line, with the definition.
fn compare(language: Language, functions: &[Function], data: &Data, printed: &str) {
    let mut printed = printed.lines();
    let (mut crcs, mut values) = (0, 0);
    for Function { params, inputs, method, .. } in functions {
        for (i, it) in data.inputs[..*inputs].iter().enumerate() {
            let value = params.reference(&data.bytes[it.at..it.at + it.length]);
            let line = printed.next().unwrap_or("nothing");
            let Input { length, cut, .. } = *it;
            assert_eq!(
                line,
                format!("{value:x}"),
                "{language:?}: {} of input {i}, {length} bytes cut at {cut}",
                params.name
            );
            values += 1;
        }
        crcs += usize::from(*method == Method::Bitwise);
    }
    assert_eq!(printed.next(), None);
    println!("{language:?}: {crcs} CRCs, {} functions, {values} values", functions.len());
}

/// Tests a language. `build` writes and compiles the functions with a main program in the folder,
/// and returns the command that prints the value of each input by each function.
fn check(language: Language, build: impl FnOnce(&Path, &[Function]) -> Command) {
    let (data, functions) = (Data::new(), functions(language));
    let folder = folder(language, &data);
    let mut run = build(&folder, &functions);
    let printed = good(run.current_dir(&folder));
    compare(language, &functions, &data, &printed);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn c() {
    if !installed("cc") {
        return;
    }
    check(Language::C, |folder, functions| {
        let mut text: String = functions.iter().map(Function::source).collect();
        text += r#"#include <stdio.h>
#include <inttypes.h>
static unsigned char bytes[4096];
static int count;
static struct { int at, length, cut; } inputs[1000];
#define RUN(name, start, limit) \
    for (int i = 0; i < limit; i++) { \
        const unsigned char *data = bytes + inputs[i].at; \
        int cut = inputs[i].cut; \
        printf("%" PRIx64 "\n", (uint64_t)name(name(start, data, (size_t)cut), data + cut, \
            (size_t)(inputs[i].length - cut))); \
    }
int main(void) {
    FILE *file = fopen("bytes", "rb");
    if (!file || fread(bytes, 1, sizeof bytes, file) != sizeof bytes) return 1;
    fclose(file);
    file = fopen("inputs", "r");
    if (!file) return 1;
    while (count < 1000 && fscanf(file, "%d %d %d", &inputs[count].at, &inputs[count].length,
        &inputs[count].cut) == 3) count++;
    fclose(file);
"#;
        for it in functions {
            let (name, start) = (it.name(), it.params.reference(b""));
            text += &format!("    RUN({name}, {start:#x}u, {})\n", it.inputs);
        }
        text += "}\n";
        write(&folder.join("main.c"), text);
        let words = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-omain", "main.c"];
        good(Command::new("cc").args(words).current_dir(folder));
        Command::new(folder.join("main"))
    });
}

#[test]
#[ignore = "long"]
fn rust() {
    check(Language::Rust, |folder, functions| {
        let mut text: String = functions.iter().map(Function::source).collect();
        text += r#"fn main() {
    let bytes = std::fs::read("bytes").unwrap();
    let inputs = std::fs::read_to_string("inputs").unwrap();
    let inputs: Vec<Vec<usize>> = inputs
        .lines()
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    macro_rules! run {
        ($name:ident, $start:expr, $limit:expr) => {
            for it in &inputs[..$limit] {
                let (a, b) = bytes[it[0]..it[0] + it[1]].split_at(it[2]);
                println!("{:x}", $name($name($start, a), b));
            }
        };
    }
"#;
        for it in functions {
            let (name, start) = (it.name(), it.params.reference(b""));
            text += &format!("    run!({name}, {start:#x}, {});\n", it.inputs);
        }
        text += "}\n";
        write(&folder.join("main.rs"), text);
        let words = ["--edition=2024", "-Dwarnings", "-omain", "main.rs"];
        good(Command::new("rustc").args(words).current_dir(folder));
        Command::new(folder.join("main"))
    });
}

#[test]
fn python() {
    if !installed("python3") {
        return;
    }
    check(Language::Python, |folder, functions| {
        let mut text: String = functions.iter().map(Function::source).collect();
        text += "from pathlib import Path\nbytes_ = Path('bytes').read_bytes()\n\
                 inputs = Path('inputs').read_text().splitlines()\n\
                 inputs = [[int(word) for word in line.split()] for line in inputs]\n\
                 def run(function, limit):\n    for at, length, cut in inputs[:limit]:\n        \
                 data = bytes_[at:at + length]\n        \
                 first = function(data[:cut]) if cut else function(b'')\n        \
                 print(f'{function(data[cut:], first):x}')\n";
        for it in functions {
            text += &format!("run({}, {})\n", it.name(), it.inputs);
        }
        write(&folder.join("main.py"), text);
        let mut run = Command::new("python3");
        run.args(["-W", "error", "main.py"]);
        run
    });
}

#[test]
fn javascript() {
    if !installed("node") {
        return;
    }
    check(Language::JavaScript, |folder, functions| {
        let mut text: String = functions.iter().map(Function::source).collect();
        text += "import { readFileSync } from 'node:fs';\n\
                 const bytes = readFileSync('bytes'), lines = [];\n\
                 const inputs = readFileSync('inputs', 'utf8').trim().split('\\n')\
                 .map(line => line.split(' ').map(Number));\n\
                 const run = (name, limit) => {\n  for (const [at, length, cut] of \
                 inputs.slice(0, limit)) {\n    \
                 const data = bytes.subarray(at, at + length);\n    \
                 const first = name(data.subarray(0, cut));\n    \
                 lines.push(name(data.subarray(cut), first).toString(16));\n  \
                 }\n};\n";
        for it in functions {
            text += &format!("run({}, {});\n", it.name(), it.inputs);
        }
        text += "process.stdout.write(lines.join('\\n') + '\\n');\n";
        write(&folder.join("main.mjs"), text);
        let mut run = Command::new("node");
        run.arg("main.mjs");
        run
    });
}

#[test]
fn go() {
    if !installed("go") {
        return;
    }
    check(Language::Go, |folder, functions| {
        std::fs::create_dir(folder.join("crc")).unwrap();
        write(&folder.join("go.mod"), "module snippets\n\ngo 1.19\n");
        for it in functions {
            write(&folder.join(format!("crc/{}.go", it.name())), it.source());
        }
        let mut text = String::from(
            r#"package main

import (
	"bufio"
	"fmt"
	"os"
	"snippets/crc"
)

type number interface{ ~uint8 | ~uint16 | ~uint32 | ~uint64 }

var bytes []byte
var inputs [][3]int
var out = bufio.NewWriter(os.Stdout)

func run[T number](function func(T, []byte) T, start T, limit int) {
	for _, it := range inputs[:limit] {
		data := bytes[it[0] : it[0]+it[1]]
		fmt.Fprintf(out, "%x\n", function(function(start, data[:it[2]]), data[it[2]:]))
	}
}

func main() {
	bytes, _ = os.ReadFile("bytes")
	file, _ := os.Open("inputs")
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var it [3]int
		fmt.Sscan(lines.Text(), &it[0], &it[1], &it[2])
		inputs = append(inputs, it)
	}
"#,
        );
        for it in functions {
            let start = it.params.reference(b"");
            text += &format!("\trun(crc.{}, {start:#x}, {})\n", it.name(), it.inputs);
        }
        text += "\tout.Flush()\n}\n";
        write(&folder.join("main.go"), text);
        let go = |words: &[&str]| {
            let mut go = Command::new("go");
            go.args(words).current_dir(folder).env("GOFLAGS", "-mod=mod").env("GOPROXY", "off");
            go
        };
        good(&mut go(&["vet", "./crc"]));
        good(&mut go(&["build", "-o", "main"]));
        Command::new(folder.join("main"))
    });
}

#[test]
#[ignore = "long"]
fn java() {
    if !installed("javac") {
        return;
    }
    check(Language::Java, |folder, functions| {
        for it in functions {
            write(&folder.join(it.name() + ".java"), it.source());
        }
        let mut text = String::from(
            r#"import java.nio.file.*;
import java.util.*;

public final class Main {
    interface Update { long of(long crc, byte[] data); }
    static byte[] bytes;
    static List<int[]> inputs = new ArrayList<>();
    static StringBuilder out = new StringBuilder();

    static void run(Update update, long start, int limit) {
        for (int[] it : inputs.subList(0, limit)) {
            byte[] data = Arrays.copyOfRange(bytes, it[0], it[0] + it[1]);
            long first = update.of(start, Arrays.copyOf(data, it[2]));
            long value = update.of(first, Arrays.copyOfRange(data, it[2], it[1]));
            out.append(Long.toHexString(value)).append('\n');
        }
    }

    public static void main(String[] words) throws Exception {
        bytes = Files.readAllBytes(Path.of("bytes"));
        for (String line : Files.readAllLines(Path.of("inputs")))
            inputs.add(Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray());
"#,
        );
        for it in functions {
            let start = it.params.reference(b"");
            text += &format!("        run({}::update, {start:#x}L, {});\n", it.name(), it.inputs);
        }
        text += "        System.out.print(out);\n    }\n}\n";
        write(&folder.join("Main.java"), text);
        good(
            Command::new("javac").args(["-Xlint:all", "-Werror", "Main.java"]).current_dir(folder),
        );
        let mut run = Command::new("java");
        run.args(["-Xshare:auto", "Main"]);
        run
    });
}
