/*
 * How a secret's bytes may stand in a text: as they are, URL-encoded, JSON-escaped, in hex, in base64. The
 * same as lib/redaction/forms.ts, which says more; test/support/redaction-cases.ts holds both to it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "relay.h"

enum { FEWEST_HEX_BYTES = 3, FEWEST_BASE64_BYTES = 5, MOST_BREAKS = 2, NO_DIGIT = 64 };

struct text {
  const unsigned char *bytes;
  size_t size;
};

static int hex_digit(unsigned char byte) {
  if (byte >= '0' && byte <= '9') {
    return byte - '0';
  }
  const unsigned char letter = byte | 0x20;
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static int match_number(unsigned wanted, int digits, struct text text, size_t at) {
  for (int index = 0; index < digits; index++) {
    if (at + (size_t)index >= text.size) {
      return MATCH_MORE;
    }
    if (hex_digit(text.bytes[at + (size_t)index]) != (int)(wanted >> (4 * (digits - 1 - index)) & 15)) {
      return 0;
    }
  }
  return digits;
}

static int match_plain(const unsigned char *value, size_t left, struct text text, size_t at, size_t *taken) {
  (void)left;
  *taken = 1;
  return text.bytes[at] == value[0];
}

static int match_url(const unsigned char *value, size_t left, struct text text, size_t at, size_t *taken) {
  (void)left;
  *taken = 1;
  const bool is_itself = text.bytes[at] == value[0] || (value[0] == ' ' && text.bytes[at] == '+');
  const bool may_be_encoded = value[0] == '%' && at + 1 < text.size && text.bytes[at + 1] == '2';
  if (is_itself && !may_be_encoded) {
    return 1;
  }
  if (text.bytes[at] != '%') {
    return 0;
  }
  const int digits = match_number(value[0], 2, text, at + 1);
  return digits == 2 ? 3 : digits;
}

static unsigned char short_escape(unsigned char byte) {
  switch (byte) {
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\b': return 'b';
    case '\f': return 'f';
    case '"':
    case '/':
    case '\\': return byte;
    default: return 0;
  }
}

/* The code point at the value, and how many bytes it has; a byte that begins none is returned as it is. */
static unsigned decode(const unsigned char *value, size_t left, size_t *taken) {
  const unsigned char first = value[0];
  const size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  *taken = length <= left ? length : 1;
  unsigned point = *taken == 1 ? first : first & (0x7fU >> length);
  for (size_t index = 1; index < *taken; index++) {
    point = point << 6 | (value[index] & 0x3f);
  }
  return point;
}

static int match_unit(unsigned unit, struct text text, size_t at) {
  if (at + 1 >= text.size) {
    return MATCH_MORE;
  }
  if (text.bytes[at] != '\\' || text.bytes[at + 1] != 'u') {
    return 0;
  }
  const int digits = match_number(unit, 4, text, at + 2);
  return digits == 4 ? 6 : digits;
}

static int match_unicode(const unsigned char *value, size_t left, struct text text, size_t at,
                         size_t *taken) {
  const unsigned point = decode(value, left, taken);
  if (point < 0x10000) {
    return match_unit(point, text, at);
  }
  const int high = match_unit(0xd800 + ((point - 0x10000) >> 10), text, at);
  if (high <= 0) {
    return high;
  }
  const int low = match_unit(0xdc00 + ((point - 0x10000) & 0x3ff), text, at + (size_t)high);
  return low <= 0 ? low : high + low;
}

static int match_json(const unsigned char *value, size_t left, struct text text, size_t at, size_t *taken) {
  *taken = 1;
  if (text.bytes[at] != '\\') {
    return text.bytes[at] == value[0];
  }
  if (at + 1 >= text.size) {
    return MATCH_MORE;
  }
  if (text.bytes[at + 1] == 'u') {
    return match_unicode(value, left, text, at, taken);
  }
  const unsigned char escape = short_escape(value[0]);
  if (escape != 0 && text.bytes[at + 1] == escape) {
    return 2;
  }
  /* A backslash that is written as it is. */
  return value[0] == '\\';
}

typedef int match_one(const unsigned char *value, size_t left, struct text text, size_t at, size_t *taken);

static int match_bytewise(match_one *one, const unsigned char *value, size_t size, struct text text) {
  size_t end = 0;
  for (size_t index = 0; index < size;) {
    if (end >= text.size) {
      return MATCH_MORE;
    }
    size_t taken;
    const int match = one(value + index, size - index, text, end, &taken);
    if (match <= 0) {
      return match;
    }
    index += taken;
    end += (size_t)match;
  }
  return (int)end;
}

static unsigned base64_digit(unsigned char byte) {
  if (byte >= 'A' && byte <= 'Z') {
    return byte - 'A';
  }
  if (byte >= 'a' && byte <= 'z') {
    return byte - 'a' + 26U;
  }
  if (byte >= '0' && byte <= '9') {
    return byte - '0' + 52U;
  }
  return byte == '+' || byte == '-' ? 62 : byte == '/' || byte == '_' ? 63 : NO_DIGIT;
}

static bool fits_hex(const unsigned char *value, size_t index, unsigned char byte) {
  return hex_digit(byte) == (value[index >> 1] >> (index % 2 == 0 ? 4 : 0) & 15);
}

static bool fits_base64(const unsigned char *value, size_t size, size_t bit, unsigned char byte) {
  const unsigned high = value[bit >> 3];
  const unsigned low = (bit >> 3) + 1 < size ? value[(bit >> 3) + 1] : 0;
  return base64_digit(byte) == ((high << 8 | low) >> (10 - (bit & 7)) & 63);
}

/* Digits that may be broken into lines; of base64 after `shift` other bytes, a shift of -1 is hex. */
static int match_digits(int shift, const unsigned char *value, size_t size, struct text text) {
  const bool is_hex = shift < 0;
  if (size < (is_hex ? (size_t)FEWEST_HEX_BYTES : (size_t)FEWEST_BASE64_BYTES)) {
    return 0;
  }
  const size_t offset = is_hex ? 0 : 8 * (size_t)shift;
  const size_t from = (offset + 5) / 6;
  const size_t to = is_hex ? 2 * size : (offset + 8 * size) / 6;
  size_t end = 0;
  int breaks = 0;
  for (size_t index = from; index < to; end++) {
    if (end >= text.size) {
      return MATCH_MORE;
    }
    const unsigned char byte = text.bytes[end];
    if (index > from && (byte == '\n' || byte == '\r') && breaks < MOST_BREAKS) {
      breaks++;
      continue;
    }
    if (!(is_hex ? fits_hex(value, index, byte) : fits_base64(value, size, 6 * index - offset, byte))) {
      return 0;
    }
    breaks = 0;
    index++;
  }
  return (int)end;
}

int match_form(enum form form, const unsigned char *value, size_t size, const unsigned char *bytes,
               size_t text_size) {
  const struct text text = {bytes, text_size};
  switch (form) {
    case FORM_PLAIN: return match_bytewise(match_plain, value, size, text);
    case FORM_URL: return match_bytewise(match_url, value, size, text);
    case FORM_JSON: return match_bytewise(match_json, value, size, text);
    case FORM_HEX: return match_digits(-1, value, size, text);
    default: return match_digits((int)form - FORM_BASE64, value, size, text);
  }
}
