/** One line end for the three that event streams may have (SSE: LF, CR LF and CR alone). */

/**
 * A function for one stream, which takes its text in pieces. `eventsource-parser` waits after a CR
 * for what follows, so that the last event of a server that ends lines with CR alone would not be
 * read before the next one.
 */
export function createLineEnds(): (text: string) => string {
  let endedInReturn = false;
  return (text) => {
    if (text === '') {
      return text;
    }
    // Its CR has ended the line already.
    const rest = endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    endedInReturn = text.endsWith('\r');
    return rest.replaceAll(/\r\n?/g, '\n');
  };
}
