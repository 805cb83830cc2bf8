/**
 * The contents of these tests' packages: servers that report what they see, and code that must not
 * run while they are loaded.
 */
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

/** A script of a package that leaves a mark where it runs, with all that it was given. */
export const markingScript = `
const fs = require('node:fs');
fs.writeFileSync(process.cwd() + '/seen.json', JSON.stringify(process.env));
`;

/** The same as code that Python runs when it starts with the package. */
export const markingPth = `import os, sys; os.system("env 2>/dev/null >" + os.path.dirname(sys.executable) + "/seen.json")\n`;

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
