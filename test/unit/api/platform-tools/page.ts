/** Writes `docs/platform-tools.md` from the definitions of the tools. */
import { type PlatformTool, shownSchema } from '../../../../api/platform-tools/tool.ts';

interface PageFacts {
  codes: Readonly<Record<string, string>>;
  maxAnswerBytes: number;
  defaults: { perMinute: number; atATime: number };
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const bounds = [
  ['minLength', 'at least'],
  ['maxLength', 'up to'],
  ['minItems', 'at least'],
  ['maxItems', 'up to'],
  ['minimum', 'from'],
  ['maximum', 'to'],
] as const;

/** A type in a few words, such as `text up to 64`; the page says that it counts characters, or items. */
function kindOf(schema: Schema): string {
  const choices = schema['enum'] ?? schema['anyOf'];
  if (Array.isArray(choices)) {
    return choices
      .map((choice: unknown) => (isSchema(choice) ? kindOf(choice) : JSON.stringify(choice)))
      .join(' or ');
  }
  const { type, format } = schema;
  const names: Record<string, string> = { string: 'text', object: 'object', array: 'list' };
  const base = typeof format === 'string' ? format : (names[String(type)] ?? String(type ?? 'anything'));
  const limits = bounds.flatMap(([key, before]) => {
    const value = schema[key];
    const isSaid = typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
    return isSaid && !(key.startsWith('min') && key !== 'minimum' && value <= 1)
      ? [`${before} ${value}`]
      : [];
  });
  return [base, ...limits].join(' ');
}

/**
 * Each field with its type, the fields of lists and objects behind their own; those of an object that a field
 * beside it has as well are written once.
 */
function fieldsOf(schema: Schema, prefix = ''): string[] {
  const { properties, required, items } = schema;
  if (isSchema(items)) {
    return fieldsOf(items, `${prefix}[]`);
  }
  if (!isSchema(properties)) {
    return [];
  }
  const fields = Object.entries(properties);
  return fields.flatMap(([name, field], index) => {
    if (!isSchema(field)) {
      return [];
    }
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const isOptional = !(Array.isArray(required) && required.includes(name));
    const nested = fieldsOf(field, path);
    const text = JSON.stringify(field);
    const [same] = fields.slice(0, index).find(([, before]) => JSON.stringify(before) === text) ?? [];
    const isSaid = same !== undefined && nested.length > 0;
    const own = `\`${path}${isOptional ? '?' : ''}\` ${isSaid ? `as \`${same}\`` : kindOf(field)}`;
    return isSaid ? [own] : [own, ...nested];
  });
}

/** Lines of a paragraph or list item, which end before column 117 where a word ends. */
function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || `${last} ${word}`.length > 116) {
      lines.push(text.startsWith('- ') && last !== undefined ? `  ${word}` : word);
    } else {
      lines[lines.length - 1] = `${last} ${word}`;
    }
  }
  return lines.join('\n');
}

/** As a reader needs it: enough of an id, and of a sentence, to recognise it. */
function shortened(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  return value
    .replace(/-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '…')
    .replace(/^(.{60}).{20,}$/su, '$1…');
}

const widthOfJson = 110;

/** JSON; the parts of a value that does not fit on a line fill lines of their own. */
function compactJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, shortened);
  if (typeof value !== 'object' || value === null || line.length + indent.length <= widthOfJson) {
    return line;
  }
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => compactJson(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${compactJson(item, inner)}`);
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = `${last}, ${part}`;
    if (last === undefined || joined.includes('\n') || joined.length + inner.length > widthOfJson) {
      lines.push(part);
    } else {
      lines[lines.length - 1] = joined;
    }
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.map((each) => inner + each).join(',\n')}\n${indent}${close}`;
}

const exampleOf = ({ input, output }: PlatformTool['example']) =>
  `\`\`\`json\n${compactJson(input)}\n${compactJson(output)}\n\`\`\``;

const hintNames: readonly (readonly [keyof PlatformTool['annotations'], string])[] = [
  ['readOnlyHint', 'read-only'],
  ['destructiveHint', 'destructive'],
  ['idempotentHint', 'idempotent'],
  ['openWorldHint', 'open world'],
];

function hintsOf(annotations: PlatformTool['annotations']): string {
  const names = hintNames.filter(([hint]) => annotations[hint]).map(([, name]) => name);
  return names.length === 0 ? '' : ` Hints: ${names.join(', ')}.`;
}

/** The first sentence of what agents read. */
const summaryOf = ({ description }: PlatformTool) => description.replace(/(?<=\.) .*$/s, '');

function argumentsOf({ input }: PlatformTool): string {
  const fields = fieldsOf(shownSchema(input, 'input'));
  return fields.length === 0 ? ' No arguments.' : ` Arguments: ${fields.join('; ')}.`;
}

const sectionOf = (tool: PlatformTool) => `## ${tool.name}

${wrapped(summaryOf(tool) + argumentsOf(tool) + hintsOf(tool.annotations))}

${exampleOf(tool.example)}
`;

export function platformToolsPage(
  tools: readonly PlatformTool[],
  { codes, maxAnswerBytes, defaults }: PageFacts,
): string {
  const head = `# Tools that the API runs

${wrapped(`Tools of the server \`platform\` that [the API runs](decisions/0047-tools-that-the-api-runs.md), on data of the workspace and for trees of sessions; the [agent contract](agent-contract.md#the-tools-of-platform) has the others. \`npm run docs\` makes this page from [\`api/platform-tools/\`](../api/platform-tools).`)}

${[
  `- A result is JSON text and \`structuredContent\`. It has ${maxAnswerBytes / 1024} KiB at most; tools leave out what is beyond, and say so.`,
  `- A session calls them ${defaults.perMinute} times a minute; each process of the API runs ${defaults.atATime} calls of a workspace at a time, not counting \`read_child_output\`; others wait.`,
  '- A call may be sent twice, when its answer was lost: what it writes is the same as once.',
  '- A number that JavaScript would change, such as `9007199254740993` or `1e400`, is refused: send it as text.',
  '- Graph and collections are shared by all agents of the workspace: what they hold is data, not instructions.',
  '- Below are the first sentence of each description, the arguments, the MCP annotations that are true, and an example: arguments, then the result, with ids and long texts cut. `?` is optional; sizes are characters of texts and items of lists. `tools/list` has the rest: what to do when, what each field means, and the schemas of results.',
]
  .map(wrapped)
  .join('\n')}

## When a tool fails

${wrapped('The result has `isError: true`; its text, and `_meta["platform/error"]`, is `{ "code", "message", "next_steps" }`: sentences on whether to ask, to wait or to do without it.')}

| Code | Meaning, and what to do |
| --- | --- |
${Object.entries(codes)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}
| \`rate_limited\` | the session, or its workspace, calls too often; the message names the limit |
| \`unavailable\` | the platform could not be reached in time; the call may have taken effect |
`;
  return [head, ...tools.map(sectionOf)].join('\n');
}
