const largestFormBytes = 4_096;

/** The fields of a posted form; none when it is larger than any of ours. */
export async function readForm(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > largestFormBytes) {
      return new URLSearchParams();
    }
  }
  return new URLSearchParams(text);
}
