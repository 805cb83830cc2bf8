/**
 * Runs as the agent, hostile: looks for sockets, for values that are not its own, and for tokens of a
 * cluster, wherever it can look, and says what it found as one line of JSON. `LOOK_FOR` holds the values
 * turned round, so that the search does not find its own orders; `MINE` is a value that it must find.
 * `LOOK_BELOW` keeps it to one folder, where nothing keeps it from the machine.
 */
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');

const maxEntries = 3_000_000;
const maxDepth = 40;
const maxFileBytes = 1024 * 1024;
const places = '/run /var/run /var/tmp /tmp /workspace /dev/shm /secrets /etc /home /root /srv /mnt'.split(
  ' ',
);
const tokenForm = /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/;
const { LOOK_FOR, MINE, LOOK_BELOW } = process.env;

const turnRound = (text) => [...text].reverse().join('');
const wanted = Object.entries(JSON.parse(LOOK_FOR)).map(([name, turned]) => [name, turnRound(turned)]);
const values = [...wanted, ['mine', MINE]].map(([name, value]) => [name, Buffer.from(value)]);
const seen = { entries: 0, read: 0, complete: true, found: [], tokens: [], sockets: {}, names: {} };

/** Null for what cannot be had. */
const attempt = (work) => {
  try {
    return work();
  } catch {
    return null;
  }
};

/** Everything below a folder but the kernel's own, links not followed. */
function* below(root) {
  const pending = [{ folder: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { folder, depth } = next;
    for (const entry of attempt(() => fs.readdirSync(folder, { withFileTypes: true })) ?? []) {
      const file = path.join(folder, entry.name);
      if (file === '/proc' || file === '/sys') {
        continue;
      }
      seen.entries += 1;
      if (seen.entries > maxEntries || depth > maxDepth) {
        seen.complete = false;
        return;
      }
      yield { file, entry };
      if (entry.isDirectory()) {
        pending.push({ folder: file, depth: depth + 1 });
      }
    }
  }
}

/**
 * At most so much of a file, whose size the kernel may not tell; null when it is not
 * a regular one, or larger.
 */
function readSmall(file) {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    return stat.isFile() && stat.size <= maxFileBytes ? fs.readFileSync(fd) : null;
  } finally {
    fs.closeSync(fd);
  }
}

function search(file) {
  const bytes = attempt(() => readSmall(file));
  if (bytes === null) {
    return;
  }
  seen.read += 1;
  for (const [value, needle] of values) {
    if (bytes.includes(needle)) {
      seen.found.push({ value, file });
    }
  }
  if (tokenForm.test(bytes.toString('latin1'))) {
    seen.tokens.push(file);
  }
}

const mounts = fs
  .readFileSync('/proc/self/mountinfo', 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => ({ line, place: line.split(' ')[4], type: line.split(' - ')[1].split(' ')[0] }));

/**
 * Where something of the session may lie: the usual places, the platform's own, and what is held in
 * memory, as mounted secrets are.
 */
function lookedThrough() {
  if (LOOK_BELOW !== undefined) {
    return [LOOK_BELOW];
  }
  const platform = (attempt(() => fs.readdirSync('/opt')) ?? []).filter((name) =>
    name.startsWith('platform'),
  );
  const mounted = mounts.filter(
    ({ place, type }) => type === 'tmpfs' || /secret|token|credential/i.test(place),
  );
  const all = [...places, ...platform.map((name) => `/opt/${name}`), ...mounted.map(({ place }) => place)];
  const real = all.flatMap((place) => attempt(() => fs.realpathSync(place)) ?? []);
  return [...new Set([...real, process.cwd()])].filter((place) => !/^\/($|proc|sys)/.test(place));
}

const connect = (target) =>
  new Promise((resolve) => {
    const socket = net.connect({ path: target });
    const end = (result) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(3000, () => end('TIMEOUT'));
    socket.on('connect', () => end('connected'));
    socket.on('error', ({ code }) => end(code));
  });

function lookForValues() {
  const files = new Set(lookedThrough().flatMap((place) => [...below(place)].map(({ file }) => file)));
  const processes = fs.readdirSync('/proc').filter((name) => /^(\d+|self)$/.test(name));
  for (const pid of processes) {
    files.add(`/proc/${pid}/environ`).add(`/proc/${pid}/cmdline`);
  }
  for (const file of files) {
    search(file);
  }
  const accounts = mounts.filter(({ line }) => /\/serviceaccount\b|kube-api-access/.test(line));
  seen.tokens.push(...accounts.map(({ place }) => place));
}

async function lookForSockets() {
  for (const { file, entry } of below(LOOK_BELOW ?? '/')) {
    if (entry.isSocket()) {
      seen.sockets[file] = await connect(path.relative('', file));
    }
    if (file.endsWith('/serviceaccount/token')) {
      seen.tokens.push(file);
    }
  }
  const listed = fs.readFileSync('/proc/net/unix', 'utf8').trimEnd().split('\n').slice(1);
  for (const name of new Set(listed.flatMap((line) => line.trim().split(/\s+/)[7] ?? []))) {
    // An abstract one can be reached by whoever has it listed; those of a whole
    // machine are not to be bothered.
    const reach = () => (name.startsWith('@') ? 'abstract' : connect(name));
    seen.names[name] = LOOK_BELOW === undefined ? await reach() : null;
  }
}

/** What the search must find, or it proves nothing: a file with its own value and a token, and a socket. */
async function leaveControl() {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = [part({ alg: 'RS256' }), part({ sub: 'a control' }), 'c'.repeat(20)].join('.');
  fs.writeFileSync('control', `${MINE} ${token}`);
  await new Promise((resolve) => net.createServer().listen('control.sock', resolve));
}

void (async () => {
  await leaveControl();
  lookForValues();
  await lookForSockets();
  process.stdout.write(`SEEN ${JSON.stringify(seen)}\n`);
})();
