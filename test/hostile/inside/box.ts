/**
 * A server that notes each call that it carries out. Its tool `order` asks for input first, as servers
 * of the 2026 revision may.
 */
import { asArguments } from './puppets.ts';

interface Ledger {
  append(line: string): void;
  read(): string[];
}

interface CallParams {
  name: string;
  arguments?: { mark?: string };
  requestState?: string;
}

const boxMain = (input: NodeJS.ReadStream, output: NodeJS.WriteStream, ledger: Ledger): void => {
  const answer = (id: unknown, result: object) =>
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  const content = (value: unknown) => ({
    resultType: 'complete',
    content: [{ type: 'text', text: JSON.stringify(value) }],
  });
  const requestedSchema = { type: 'object', properties: { colour: { type: 'string' } } };
  const question = { method: 'elicitation/create', params: { message: 'Which one?', requestedSchema } };
  const take = (line: string): void => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') {
      const serverInfo = { name: 'box', version: '1' };
      answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
      return;
    }
    const { name, arguments: args = {}, requestState }: CallParams = params ?? {};
    if (method === 'tools/call' && name === 'ledger') {
      answer(id, content(ledger.read()));
    } else if (method === 'tools/call' && name === 'order' && requestState === undefined) {
      answer(id, {
        resultType: 'input_required',
        requestState: 'asked',
        inputRequests: { choice: question },
      });
    } else if (method === 'tools/call') {
      ledger.append(
        `${name}: ${args.mark ?? 'no mark'}${requestState === undefined ? '' : `, ${requestState}`}`,
      );
      answer(id, content(null));
    } else if (id !== undefined && method !== undefined) {
      answer(id, {});
    }
  };
  let rest = '';
  input.setEncoding('utf8');
  input.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    lines.filter(Boolean).forEach(take);
  });
};

/** The ledger outlives the process, of which each connection has a new one. */
export function boxServer(name: string): object {
  const path = `/workspace/${name}.ledger`;
  const ledger = `{
    append: (line) => fs.appendFileSync('${path}', line + '\\n'),
    read: () => fs.existsSync('${path}') ? fs.readFileSync('${path}', 'utf8').split('\\n').filter(Boolean) : [],
  }`;
  const program = `(${boxMain})(process.stdin, process.stdout, ${ledger})`;
  return { type: 'command', command: 'node', args: asArguments(program) };
}
