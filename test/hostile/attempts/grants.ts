/** What the agent does around grants, as texts that it runs; the test plays the human. */
import type { Kit } from '../inside/kit.ts';

/** Calls the gated tool; `carried out`, or the code of the refusal. */
export const callGated = async (kit: Kit, _target: unknown, mark: string): Promise<string> => {
  const answer = JSON.stringify(await kit.callTool('vault', 'open', { mark }));
  return /"code\\*":\\*"(\w+)/.exec(answer)?.[1] ?? 'carried out';
};

/** Like `callGated`, for the named server. */
export const callGatedOf = async (
  kit: Kit,
  _target: unknown,
  { server, mark }: { server: string; mark: string },
): Promise<string> => {
  const answer = JSON.stringify(await kit.callTool(server, 'open', { mark }));
  return /"code\\*":\\*"(\w+)/.exec(answer)?.[1] ?? 'carried out';
};

/** Five calls at once on one connection. */
export const raceForOne = async (kit: Kit): Promise<string[]> => {
  const wire = await kit.openServer('vault');
  wire.send(...Array.from({ length: 5 }, (_, index) => kit.call(index, 'open', { mark: 'race' })));
  const answers = await Promise.all(Array.from({ length: 5 }, (_, index) => wire.answer(index)));
  wire.close();
  return answers
    .map((answer) => /"code\\*":\\*"(\w+)/.exec(JSON.stringify(answer))?.[1] ?? 'carried out')
    .sort();
};

/** Asks for a grant; returns the platform's answer. */
export const askFor = async (
  kit: Kit,
  _target: unknown,
  { scope, justification = 'please' }: { scope: string; justification?: string },
): Promise<string> => {
  const args = { grant_type: 'tool_scope', details: { scope: 'vault.open' }, scope, justification };
  const answer = JSON.stringify(await kit.callTool('platform', 'request_grant', args));
  return /"code\\*":\\*"(\w+)/.exec(answer)?.[1] ?? /"status\\*":\\*"(\w+)/.exec(answer)?.[1] ?? answer;
};

/** Asks for a hundred different grants as fast as it can; returns the count of each answer. */
export const askForHundred = async (kit: Kit): Promise<Record<string, number>> => {
  const wire = await kit.openServer('platform');
  const said: Record<string, number> = {};
  for (let index = 0; index < 100; index += 1) {
    const scope = `vault.open${'abcdefghij'[index % 10]}${'abcdefghij'[Math.floor(index / 10)]}`;
    const args = { grant_type: 'tool_scope', details: { scope }, scope: 'once', justification: '' };
    wire.send(kit.call(index, 'request_grant', args));
  }
  for (let index = 0; index < 100; index += 1) {
    const answer = JSON.stringify(await wire.answer(index, 20_000));
    const word =
      /"code\\*":\\*"(\w+)/.exec(answer)?.[1] ?? /"status\\*":\\*"(\w+)/.exec(answer)?.[1] ?? answer;
    said[word] = (said[word] ?? 0) + 1;
  }
  wire.close();
  return said;
};

/**
 * Sends 64 MiB without a line end to each server's socket, on eight connections each; then 64 MiB as
 * a request to the sidecar.
 */
export const pourBytes = async (kit: Kit): Promise<string> => {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const pour = async (path: string, head: string) => {
    const socket = kit.net.connect({ path: `/run/platform/${path}` });
    socket.on('error', () => undefined);
    socket.write(head);
    for (let sent = 0; sent < 64 && !socket.destroyed; sent += 1) {
      if (!socket.write(piece)) {
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), kit.sleep(1000)]);
      }
    }
    socket.destroy();
  };
  const paths = ['mcp/platform.sock', 'mcp/vault.sock', 'mcp/files.sock'].flatMap((path) =>
    Array.from({ length: 8 }, () => path),
  );
  await Promise.all(paths.map((path) => pour(path, '{"jsonrpc":"2.0","id":1,"method":"')));
  await pour(
    'agent/sidecar.sock',
    'POST /event HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 67108864\r\n\r\n',
  );
  return 'poured';
};

/**
 * Sends endless requests on more connections than the sidecar accepts; returns whether it still
 * answers once they are closed.
 */
export const hangOn = async (kit: Kit): Promise<number[]> => {
  const sockets = Array.from({ length: 60 }, () => {
    const socket = kit.net.connect({ path: kit.sidecar });
    socket.on('error', () => undefined);
    socket.write('POST /event HTTP/1.1\r\nhost: x\r\nx-slow: ');
    return socket;
  });
  for (let times = 0; times < 10; times += 1) {
    await kit.sleep(100);
    for (const socket of sockets) {
      socket.write('x');
    }
  }
  for (const socket of sockets) {
    socket.destroy();
  }
  // The sidecar has to notice that they are closed.
  for (let times = 0; ; times += 1) {
    await kit.sleep(300);
    const after = await kit.post('/event', { type: 'agent.status', payload: { status: 'still here' } });
    if (after.status === 200 || times === 50) {
      return [after.status];
    }
  }
};

/** Uploads artifacts of 10 MiB until the platform accepts no more. */
export const floodArtifacts = async (kit: Kit): Promise<string[]> => {
  const seen: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    const answer = await kit.post(`/artifact?name=flood-${index}`, Buffer.alloc(10 * 1024 * 1024));
    const code = /"code":"(\w+)".*?(\d{6,} bytes)/.exec(answer.text);
    seen.push(code ? `${code[1]}: ${code[2]}` : String(answer.status));
  }
  return seen;
};

/** Names that would do harm if used as a path or a header. */
export const nameArtifacts = async (kit: Kit): Promise<string[]> => {
  const names = [
    '../../../etc/passwd',
    '/etc/passwd',
    'a\r\nset-cookie: x=y',
    'x".html',
    '\u202egnp.exe',
    'C:\\x',
    '.',
  ];
  const seen: string[] = [];
  for (const name of names) {
    const { status, text } = await kit.post(
      `/artifact?name=${encodeURIComponent(name)}&mime_type=text/html`,
      '"<script>"',
    );
    seen.push(status === 200 ? JSON.parse(text).artifact_id : String(status));
  }
  return seen;
};
