/**
 * The beginning of a value's JSON text, for callers that keep only a prefix: the rest is never serialized.
 */

/**
 * The JSON text of a value that was read from JSON, as `JSON.stringify` writes it; where that has more than
 * `bytes` bytes, another text of more than `bytes` bytes that begins with the same `bytes` bytes.
 */
export function jsonPrefix(value: unknown, bytes: number): string {
  const writer = new PrefixWriter(bytes);
  writer.write(value);
  return writer.text;
}

class PrefixWriter {
  text = '';
  readonly #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  write(value: unknown): void {
    if (Array.isArray(value)) {
      this.#writeList(value);
    } else if (typeof value === 'object' && value !== null) {
      this.#writeObject(value);
    } else if (typeof value === 'string') {
      this.#writeString(value);
    } else {
      this.text += typeof value === 'number' && !Number.isFinite(value) ? 'null' : String(value);
    }
  }

  #writeList(items: readonly unknown[]): void {
    this.text += '[';
    let separator = '';
    for (const item of items) {
      if (this.#isEnough) {
        return;
      }
      this.text += separator;
      this.write(item);
      separator = ',';
    }
    this.text += ']';
  }

  #writeObject(object: object): void {
    this.text += '{';
    let separator = '';
    for (const name of Object.keys(object)) {
      if (this.#isEnough) {
        return;
      }
      this.text += separator;
      this.#writeString(name);
      this.text += ':';
      this.write(Reflect.get(object, name));
      separator = ',';
    }
    this.text += '}';
  }

  /** A string is cut only where its end is beyond the limit: a UTF-16 code unit takes a byte at least. */
  #writeString(string: string): void {
    this.text += JSON.stringify(string.slice(0, this.#bytes));
  }

  get #isEnough(): boolean {
    return this.text.length > this.#bytes;
  }
}
