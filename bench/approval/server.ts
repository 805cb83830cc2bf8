/**
 * The MCP server of the bench, which runs in a session's sandbox: answers each call with the moment it
 * arrived, in nanoseconds of the clock that all processes of a machine share.
 */
import { createInterface } from 'node:readline';

interface Request {
  id?: number | string;
  method: string;
  params?: { protocolVersion?: string };
}

const tools = ['free', 'gated'].map((name) => ({ name, inputSchema: { type: 'object' } }));

function resultOf({ method, params }: Request, arrivedNs: bigint): unknown {
  switch (method) {
    case 'tools/call':
      return { content: [{ type: 'text', text: String(arrivedNs) }] };
    case 'tools/list':
      return { tools };
    case 'initialize': {
      const serverInfo = { name: 'clock', version: '1.0.0' };
      return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
    }
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const arrivedNs = process.hrtime.bigint();
  const request: Request = JSON.parse(line);
  if (request.id !== undefined) {
    const { id } = request;
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(request, arrivedNs) })}\n`);
  }
});
