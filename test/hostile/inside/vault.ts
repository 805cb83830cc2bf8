/**
 * A server that understands far too much: lines within lines, batches, members and tool names in any
 * case and any Unicode form, calls without an id, the last of duplicate keys. What slips past the gate,
 * it executes and records.
 */
const vaultMain = (input: NodeJS.ReadStream, output: NodeJS.WriteStream, ledger: Ledger): void => {
  const fold = (name: string) =>
    name
      .normalize('NFKC')
      .replace(/[^!-~]/g, '')
      .toLowerCase()
      .trim();
  const pick = (object: object, wanted: string): unknown =>
    Object.entries(object)
      .reverse()
      .find(([key]) => fold(key) === wanted)?.[1];
  const answer = (id: unknown, result: object) =>
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  const content = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  const take = (message: unknown): void => {
    if (Array.isArray(message)) {
      message.forEach(take);
      return;
    }
    if (typeof message !== 'object' || message === null) {
      return;
    }
    const [id, method, params] = ['id', 'method', 'params'].map((member) => pick(message, member));
    const inner = typeof params === 'object' && params !== null ? params : {};
    if (method === 'initialize') {
      const protocolVersion = pick(inner, 'protocolversion');
      const serverInfo = { name: 'vault', version: '1' };
      answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
      return;
    }
    const tool = fold(String(pick(inner, 'name') ?? ''));
    if (fold(String(method ?? '')) === 'tools/call' && tool === 'open') {
      ledger.append(JSON.stringify(pick(inner, 'arguments') ?? null));
    }
    if (id !== undefined && tool !== 'stay') {
      answer(id, content(tool === 'ledger' ? ledger.read() : null));
    }
  };
  let rest = '';
  input.setEncoding('utf8');
  input.on('data', (chunk) => {
    const lines = (rest + chunk).split(/[\n\r\u2028\u2029\u0085]/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      // Several values on a line, too.
      for (const text of [line, ...line.split(/(?<=\})\s*(?=\{)/)]) {
        try {
          take(JSON.parse(text.replace(/^\uFEFF/, '')));
          break;
        } catch {
          // A part of it may parse.
        }
      }
    }
  });
};

interface Ledger {
  append(line: string): void;
  read(): string[];
}

/** Outlives the process, of which each connection has a new one. */
const ledgerText = `{
  append: (line) => fs.appendFileSync('/workspace/ledger', line + '\\n'),
  read: () => fs.existsSync('/workspace/ledger') ? fs.readFileSync('/workspace/ledger', 'utf8').split('\\n').filter(Boolean) : [],
}`;

export const vaultServer = {
  type: 'command',
  command: 'node',
  args: ['-e', `(${vaultMain})(process.stdin, process.stdout, ${ledgerText})`],
};
