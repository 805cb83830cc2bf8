/** Which previews of the endpoint an agent may ask for (`anthropic-beta`). Pure. */

/**
 * Beginnings of their names, which end with a date. None of them lets the endpoint reach or keep anything: no
 * tools that it runs, no MCP connector, no files, no skills.
 */
const allowed = [
  'adaptive-thinking-',
  'claude-code-',
  'context-1m-',
  'context-management-',
  'effort-',
  'extended-cache-ttl-',
  'fine-grained-tool-streaming-',
  'interleaved-thinking-',
  'output-128k-',
  'output-300k-',
  'pdfs-',
  'prompt-caching-',
  'redact-thinking-',
  'structured-outputs-',
  'task-budgets-',
  'token-efficient-tools-',
  'tool-examples-',
];
const wellFormed = /^[a-z0-9][a-z0-9._-]{0,99}$/;
const mostNames = 32;

/**
 * The names of a header that may be sent on, as one header; null for none. Others are left out: the endpoint
 * then answers as if it had not been asked for.
 */
export function allowedBetas(header: string | undefined): string | null {
  const names = (header ?? '').split(',', 4 * mostNames).map((name) => name.trim());
  const passed = names.filter(
    (name) => wellFormed.test(name) && allowed.some((beginning) => name.startsWith(beginning)),
  );
  return passed.length === 0 ? null : [...new Set(passed)].slice(0, mostNames).join(',');
}
