#!/bin/bash -eu
# Builds the fuzz targets in $OUT, each with its first inputs, as ClusterFuzzLite and OSS-Fuzz ask.
# The compiler must be nightly; cargo-fuzz and the variables SRC and OUT are those of their image.

cd "$SRC/residue"
cargo fuzz build --features fuzzer
for source in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    cp "target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    zip -qj "$OUT/${target}_seed_corpus.zip" captures/*.pcap captures/*.pcapng
done
