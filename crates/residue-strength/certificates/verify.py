#!/usr/bin/env python3
"""Verifies the limits in a certificate with nothing but Python's integers.

Usage: verify.py CERTIFICATE [BITS]

For each polynomial P of width w the certificate gives limits: the longest data, in bits, in which
every error of fewer than `distance` bits is detected, and an error of fewer bits in data one bit
longer, as exponents of x. Checked are
- the upper bound, completely: the exponents are different, fewer than `distance`, at most w + data,
  and the powers of x add up to 0 modulo P;
- the lower bound of distance 3, completely: x^e is 1 for e = w + data, and for no e / q with a
  prime factor q of e, so that no shorter error of two bits is undetected;
- the lower bound of larger distances, in part: the first BITS powers of x (default 2^18, or those
  of the whole codeword if that is shorter) are different (no undetected error of two bits), no two
  differ by 1 (none of three), and no two pairs of the first 800 have one sum (none of four), as far
  as the distance claims it. With BITS above w + data, two and three bits are checked to the limit.
"""
import json
import sys


def multiply(a, b, p, width):
    product = 0
    while b:
        if b & 1:
            product ^= a
        b >>= 1
        a <<= 1
        if a >> width:
            a ^= p
    return product


def power(exponent, p, width):
    result, base = 1, 2
    while exponent:
        if exponent & 1:
            result = multiply(result, base, p, width)
        base = multiply(base, base, p, width)
        exponent >>= 1
    return result


def primes(n):
    q = 2
    while q * q <= n:
        if n % q == 0:
            yield q
            n //= q
        else:
            q += 1
    yield n


def check(code, limit, bits):
    width, p = code["width"], 1 << code["width"] | int(code["poly"], 16)
    places, longest = limit["error"], limit["data"] + width
    assert len(set(places)) == len(places) < limit["distance"], "places"
    assert min(places) == 0 and max(places) == longest, "length"
    total = 0
    for place in places:
        total ^= power(place, p, width)
    assert total == 0, "not a multiple of P"
    if limit["distance"] == 3:
        assert all(power(longest // q, p, width) != 1 for q in primes(longest)), "order"
        return longest
    powers, a = [], 1
    for _ in range(min(bits, longest)):
        powers.append(a)
        a <<= 1
        if a >> width:
            a ^= p
    known = set(powers)
    assert len(known) == len(powers), "an error of two bits"
    # Shifted so that the last of its bits is bit 0, an error of three bits is 1 and two powers.
    if limit["distance"] > 3:
        assert not any(a ^ 1 in known for a in powers), "an error of three bits"
    if limit["distance"] > 4:
        first = powers[:800]
        sums = [a ^ b for i, a in enumerate(first) for b in first[:i]]
        assert len(set(sums)) == len(sums), "an error of four bits"
    return len(powers)


with open(sys.argv[1]) as file:
    certificate = json.load(file)
bits = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 18
for code in certificate["codes"]:
    for limit in code["limits"]:
        done = check(code, limit, bits)
        print(f'{code["name"]}: HD {limit["distance"]} ends at {limit["data"]} bits of data: '
              f'error verified; shorter ones excluded for {done} bits')
