/* Redacts the values of secret variables in what the command writes, as lib/redaction/redactor.ts does. */
#include <stdlib.h>
#include <string.h>

#include "relay.h"

enum {
  MOST_NEEDLES = 4096,
  MOST_CANDIDATES = 32 * MOST_NEEDLES,
  SHORTEST_BYTES = 4,
  PIECE_BYTES = 255,
  /* So much of a value at the very end is taken for one that was cut off. */
  SHORTEST_CUT_BYTES = 8,
};

static const char mark[] = "[secret]";

struct needle {
  const unsigned char *bytes;
  size_t size;
};

static struct needle needles[MOST_NEEDLES];
static size_t needle_count;
/* More than can be looked for: then nothing is shown. */
static bool has_too_many;
/*
 * What may stand where a byte is the first one: `needle * FORM_COUNT + form`, of byte b from
 * candidate_ends[b - 1] on.
 */
static unsigned short candidates[MOST_CANDIDATES];
static size_t candidate_ends[256];
static unsigned char text[REDACTION_TEXT_BYTES];
static size_t text_size;
static bool is_marked;

static bool is_known(const char *bytes, size_t size) {
  for (size_t index = 0; index < needle_count; index++) {
    if (needles[index].size == size && memcmp(needles[index].bytes, bytes, size) == 0) {
      return true;
    }
  }
  return false;
}

/*
 * None cuts a character. Base64 keeps its phase over the first four; one of them fits, but where all
 * characters have three bytes.
 */
static size_t piece_size(const char *bytes) {
  static const size_t sizes[] = {PIECE_BYTES, 252, 249, 246, 254, 253};
  for (size_t index = 0; index < sizeof sizes / sizeof sizes[0]; index++) {
    if ((bytes[sizes[index]] & 0xc0) != 0x80) {
      return sizes[index];
    }
  }
  return PIECE_BYTES;
}

/*
 * A long value is looked for in pieces, which bounds what one place of the text costs. JSON may write a
 * character as one escape.
 */
static void add_needle(const char *bytes, size_t size) {
  while (size > 0) {
    const size_t piece = size > 2 * PIECE_BYTES ? piece_size(bytes) : size;
    const bool is_new = !is_known(bytes, piece);
    if (is_new && needle_count == MOST_NEEDLES) {
      has_too_many = true;
      return;
    }
    if (is_new) {
      needles[needle_count++] = (struct needle){(const unsigned char *)bytes, piece};
    }
    bytes += piece;
    size -= piece;
  }
}

static void add_trimmed(const char *bytes, size_t size) {
  static const char blanks[] = " \t\r\n\v\f";
  while (size > 0 && strchr(blanks, bytes[0]) != NULL) {
    bytes++;
    size--;
  }
  while (size > 0 && strchr(blanks, bytes[size - 1]) != NULL) {
    size--;
  }
  if (size >= SHORTEST_BYTES) {
    add_needle(bytes, size);
  }
}

static void add_candidates(void) {
  size_t count = 0;
  for (int byte = 0; byte < 256; byte++) {
    const unsigned char first = (unsigned char)byte;
    for (size_t index = 0; index < needle_count * FORM_COUNT && !has_too_many; index++) {
      const struct needle needle = needles[index / FORM_COUNT];
      if (match_form((enum form)(index % FORM_COUNT), needle.bytes, needle.size, &first, 1) == 0) {
        continue;
      }
      has_too_many = count == MOST_CANDIDATES;
      if (!has_too_many) {
        candidates[count++] = (unsigned short)index;
      }
    }
    candidate_ends[byte] = count;
  }
}

void redaction_open(char *const names[]) {
  for (; *names != NULL; names++) {
    const char *value = getenv(*names);
    if (value == NULL) {
      continue;
    }
    if (strlen(value) >= SHORTEST_BYTES) {
      add_needle(value, strlen(value));
    }
    add_trimmed(value, strlen(value));
    for (const char *line = value; *line != '\0';) {
      const size_t length = strcspn(line, "\r\n");
      add_trimmed(line, length);
      line += length + (line[length] == '\0' ? 0 : 1);
    }
  }
  add_candidates();
}

/* The longest that stands there, 0 for nothing. `may_be_longer`: what comes could make it longer. */
static size_t longest_at(size_t at, bool *may_be_longer) {
  const unsigned char byte = text[at];
  int longest = 0;
  *may_be_longer = false;
  for (size_t index = byte == 0 ? 0 : candidate_ends[byte - 1]; index < candidate_ends[byte]; index++) {
    const struct needle needle = needles[candidates[index] / FORM_COUNT];
    const enum form form = (enum form)(candidates[index] % FORM_COUNT);
    const int match = match_form(form, needle.bytes, needle.size, text + at, text_size - at);
    *may_be_longer = *may_be_longer || match == MATCH_MORE;
    longest = match > longest ? match : longest;
  }
  return (size_t)longest;
}

static void clean(bool is_end, show_bytes *show) {
  size_t plain_from = 0;
  size_t at = 0;
  while (at < text_size) {
    const size_t left = text_size - at;
    bool may_be_longer;
    size_t length = longest_at(at, &may_be_longer);
    if (may_be_longer && !is_end && left < REDACTION_KEPT_BYTES) {
      break;
    }
    if (may_be_longer && is_end && left >= SHORTEST_CUT_BYTES) {
      length = left;
    }
    if (length > 0) {
      show((const char *)text + plain_from, at - plain_from);
      show(mark, is_marked ? 0 : sizeof mark - 1);
      at += length;
      plain_from = at;
    } else {
      at++;
    }
    is_marked = length > 0;
  }
  show((const char *)text + plain_from, at - plain_from);
  text_size -= at;
  memmove(text, text + at, text_size);
}

void redaction_push(const char *bytes, size_t size, show_bytes *show) {
  if (has_too_many) {
    show(mark, is_marked ? 0 : sizeof mark - 1);
    is_marked = true;
    return;
  }
  memcpy(text + text_size, bytes, size);
  text_size += size;
  clean(false, show);
}

void redaction_end(show_bytes *show) {
  clean(true, show);
  is_marked = false;
}
