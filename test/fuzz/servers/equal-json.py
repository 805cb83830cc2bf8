"""Reads lines of two JSON texts, as a list of two strings, and writes for each whether they are the same value with the same texts of numbers."""
import json
import sys


def read(text):
    number = lambda written: ("number", written)
    return json.loads(text, parse_int=number, parse_float=number)


for line in sys.stdin.buffer:
    one, other = json.loads(line)
    print("true" if read(one) == read(other) else "false")
