/** The contents of these tests' packages: servers that report what they see, and an install script that searches for everything. */
/** Reports what it is and what it can do, and answers the first request. */
export const server = `#!/usr/bin/env node
const fs = require('node:fs');
const attempt = (work) => { try { return work() ?? 'done'; } catch (error) { return error.code; } };
const here = __dirname;
process.stdin.once('data', () => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }) + '\\n'));
console.error('TOLD ' + JSON.stringify({
  version: require('./package.json').version,
  args: process.argv.slice(2),
  writes: [attempt(() => fs.writeFileSync(__filename, 'x')), attempt(() => fs.writeFileSync(here + '/new', 'x')),
    attempt(() => fs.unlinkSync(__filename)), attempt(() => fs.chmodSync(__filename, 0o777))],
  installed: attempt(() => JSON.parse(fs.readFileSync(here + '/seen.json', 'utf8'))),
}));
setInterval(() => {}, 1000);
`;

/** An install script that reports everything it can find, and what answers it. */
export const installScript = (privatePorts: number[]) => `
const fs = require('node:fs'), http = require('node:http'), net = require('node:net');
const attempt = (work) => { try { return work(); } catch (error) { return error.code; } };
const connect = (to) => new Promise((resolve) => { const socket = net.connect(to, () => { socket.destroy(); resolve('connected'); })
  .on('error', ({ code }) => resolve(code)); setTimeout(() => resolve('silence'), 1500); });
const ask = (method, path) => new Promise((resolve) => http.request({ port: 4873, host: '127.0.0.1', method, path }, (response) => {
  let body = ''; response.on('data', (piece) => { body += piece; });
  response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: body.slice(0, 20000) })); })
  .on('error', ({ code }) => resolve({ status: code })).end());
(async () => {
  const proc = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
    .flatMap((pid) => ['environ', 'cmdline'].map((file) => attempt(() => fs.readFileSync('/proc/' + pid + '/' + file, 'utf8'))));
  const answers = await Promise.all([['PUT', '/npm/probe-server'], ['POST', '/npm/-/npm/v1/security/audits'], ['DELETE', '/npm/probe-server'],
    ['GET', '/npm/-/whoami'], ['GET', '/npm/-/npm/v1/tokens'], ['GET', '/npm/probe-server/1.0.0'], ['GET', '/file/x/y'], ['GET', '/'],
    ['GET', '/npm/..%2fsimple'], ['GET', 'http://127.0.0.1:${privatePorts[0]}/npm/probe-server'], ['GET', '/npm/probe-server']]
    .map(([method, path]) => ask(method, path)));
  fs.writeFileSync(process.cwd() + '/seen.json', JSON.stringify({
    env: process.env, proc, answers,
    root: fs.readdirSync('/'), run: fs.readdirSync('/run', { recursive: true }), workspace: fs.readdirSync('/workspace'),
    interfaces: fs.readFileSync('/proc/net/dev', 'utf8').split('\\n').slice(2).map((line) => line.split(':')[0].trim()).filter(Boolean),
    reached: await Promise.all([{ host: '93.184.216.34', port: 80 }, ...${JSON.stringify(privatePorts)}.map((port) => ({ host: '127.0.0.1', port }))].map(connect)),
  }));
})();
`;

/** A Python package whose program reports the same. */
export const python = (version: string) => ({
  'time_server/__init__.py': `import json, os, sys
def attempt(work):
    try:
        work()
        return 'done'
    except OSError as error:
        return error.errno
def main():
    sys.stdin.readline()
    print(json.dumps({'jsonrpc': '2.0', 'id': 1, 'result': {}}), flush=True)
    told = {'version': '${version}', 'args': sys.argv[1:], 'writes': attempt(lambda: open(__file__, 'w'))}
    print('TOLD ' + json.dumps(told), file=sys.stderr, flush=True)
    sys.stdin.read()
`,
});
