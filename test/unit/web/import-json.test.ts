import { describe, expect, it } from '@jest/globals';
import { planImport } from '../../../web/src/pages/catalog/import-plan.ts';

describe('JSON as people paste it', () => {
  const keys = (text: string) => planImport(text).servers.map(({ key }) => key);
  const json = '{ "mcpServers": { "a": { "command": "npx" } } }';

  it.each([
    ['in a code block', `\`\`\`json\n${json}\n\`\`\``],
    ['in a code block with text around it', `Add this:\n\n~~~\n${json}\n~~~\nand restart.`],
    ['in a quoted block', `> \`\`\`json\n${json}\n> \`\`\``],
    ['with the fence of its start alone', `\`\`\`json\n${json}`],
    [
      'with comments',
      `// first\n/* then */ { "mcpServers": { // here\n "a": { "command": "npx" /* , */ } } } // last`,
    ],
    ['with commas too many', '{ "mcpServers": { "a": { "command": "npx", "args": ["-y",], }, }, }'],
    ['with a comma behind a comment', '{ "mcpServers": { "a": { "command": "npx", // last\n } } }'],
    [
      'as a fragment with a comment before it',
      '// settings\n"mcpServers": { "a": { "command": "npx" } }, // more',
    ],
    ['with the blanks of a web page', json.replaceAll(' ', '\u00a0')],
    ['with a mark of the byte order', `\uFEFF${json}`],
    ['as a server with its name in it', '{ "name": "a", "command": "npx" }'],
    ['as a list', '[{ "name": "a", "command": "npx" }]'],
    [
      'as the settings of an editor',
      '{ "editor.fontSize": 12, "mcp": { "servers": { "a": { "command": "npx" } } } }',
    ],
    ['with the key of Amp', '{ "amp.mcpServers": { "a": { "command": "npx" } } }'],
  ])('is read %s', (_, text) => {
    expect(planImport(text).problem).toBeNull();
    expect(keys(text)).toEqual(['a']);
  });

  it('keeps what only looks like a comment or a spare comma', () => {
    const text =
      '{ "mcpServers": { "a": { "command": "npx", "args": ["https://x.example//y", ",]", "/* */", "\\"//"] } } }';
    expect(planImport(text).servers[0]?.input.shape).toMatchObject({
      args: ['https://x.example//y', ',]', '/* */', '"//'],
    });
  });

  it.each([
    [
      'a key that is there twice',
      '{ "mcpServers": { "a": { "command": "npx" }, "a": { "command": "uvx" } } }',
      /^"mcpServers\.a" is there twice/,
    ],
    [
      'a variable that is there twice',
      '{"a":{"command":"npx","env":{"X":"1","\\u0058":"2"}}}',
      /^"a\.env\.X" is there twice/,
    ],
    ['two code blocks', `\`\`\`\n${json}\n\`\`\`\n\`\`\`\n${json}\n\`\`\``, /several code blocks: paste one/],
    ['TOML', '[mcp_servers.a]\ncommand = "npx"', /Invalid JSON.*looks like TOML: paste the JSON/],
    ['a command', 'claude mcp add a -- npx -y x', /Invalid JSON.*looks like a command: paste the JSON/],
    ['YAML', 'extensions:\n  a:\n    cmd: npx', /Invalid JSON.*looks like YAML: paste the JSON/],
    ['single quotes', "{'mcpServers': {'a': {}}}", /Invalid JSON.*have to be in double quotes/],
    ['names without quotes', '{ mcpServers: { a: {} } }', /Invalid JSON.*have to be in double quotes/],
    ['typographic quotes', '{“mcpServers”: {}}', /Invalid JSON.*quotes are typographic/],
    ['what it leaves out', '{ "a": { "command": "npx" }, ... }', /Invalid JSON.*leaves something out/],
    ['a comment without an end', '{ /* "a": 1 }', /Invalid JSON/],
  ])('is refused with %s', (_, text, why) => {
    expect(planImport(text).problem).toMatch(why);
  });
});
