/**
 * A pasted command as what the platform runs: without the shells, launchers and folders of the machine that
 * it was written for. Pure.
 */
import { onlyPackage, readPackageRequest } from '../../../../../contract/package-request.ts';
import { type DockerRun, readDockerRun } from './docker-run.ts';
import { isPathOfMachine, someReference } from './texts.ts';

interface Words {
  command: string;
  args: string[];
}

export type PastedCommand =
  | ({ type: 'command' } & Words & Pick<DockerRun, 'variables'>)
  | ({ type: 'image' } & Pick<DockerRun, 'image' | 'variables'>)
  | { type: 'remote'; url: string; headers: Record<string, string> };

interface Found {
  notes: string[];
  problems: string[];
}

/**
 * What the command runs here. Notes say what is run differently, problems what cannot
 * run and what to do instead.
 */
export function readCommand(given: Words, found: Found): PastedCommand {
  const variables: DockerRun['variables'] = [];
  const words = unwrapped(given, variables, found);
  const { command, args } = words;
  if (engines.has(command)) {
    return imageOf(words, found);
  }
  if (command === 'npx' && isMcpRemote(args)) {
    return remoteOf(args, found);
  }
  const problems = unrunnable(words);
  found.problems.push(...problems);
  found.notes.push(...(problems.length === 0 ? toBeInstalled(words) : []));
  return { type: 'command', command, args: command === 'uvx' ? withoutExe(args, found) : args, variables };
}

/** Each step takes one layer off; the last one changes nothing. */
function unwrapped(given: Words, variables: DockerRun['variables'], found: Found): Words {
  let words = given;
  for (let step = 0; step < 20; step += 1) {
    const next =
      split(words, found) ??
      withoutAssignment(words, variables, found) ??
      ofThisMachine(words, found) ??
      ofShell(words, found) ??
      ofPackage(words, found);
    if (next === null) {
      break;
    }
    words = next;
  }
  return words;
}

/** `command: "npx -y server"`: the command with its arguments in it. */
function split({ command, args }: Words, { notes }: Found): Words | null {
  if (!/\s/.test(command.trim()) || isPathOfMachine(command)) {
    return command === command.trim() ? null : { command: command.trim(), args };
  }
  const [first = '', ...more] = wordsOf(command);
  notes.push(`its command holds its arguments: they are separated`);
  return { command: first, args: [...more, ...args] };
}

/** `NAME=value npx …` of a shell, and `env NAME=value npx …`. */
function withoutAssignment(
  { command, args: [first = '', ...more] }: Words,
  variables: DockerRun['variables'],
  { notes }: Found,
): Words | null {
  const [, name, text = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(command) ?? [];
  if (name === undefined) {
    return command === 'env' && !first.startsWith('-') && first !== ''
      ? { command: first, args: more }
      : null;
  }
  variables.push({ name, text });
  notes.push(`${name} becomes a variable`);
  return { command: first, args: more };
}

const launchers = new Set(
  'npx uvx npm uv node python python3 bunx bun pnpm pnpx yarn pipx docker podman nerdctl cmd powershell pwsh sh bash zsh'.split(
    ' ',
  ),
);

/** `/usr/local/bin/npx` and `npx.cmd`: a launcher by its place on a machine. */
function ofThisMachine({ command, args }: Words, { notes }: Found): Words | null {
  const name = (command.split(/[\\/]/).at(-1) ?? '').replace(/\.(cmd|exe|bat)$/i, '').toLowerCase();
  if (name === command || !launchers.has(name)) {
    return null;
  }
  // A virtual environment has packages that no other one has.
  if (/[\\/]\.?venv[\\/]/.test(command)) {
    return null;
  }
  notes.push(`it runs with ${name} in place of ${command}`);
  return { command: name, args };
}

const shells: Readonly<Record<string, RegExp>> = {
  cmd: /^\/[a-z]$/i,
  powershell: /^-(c|command|noprofile|noninteractive|nologo)$/i,
  pwsh: /^-(c|command|noprofile|noninteractive|nologo)$/i,
  sh: /^-[a-z]*c[a-z]*$/,
  bash: /^-[a-z]*c[a-z]*$/,
  zsh: /^-[a-z]*c[a-z]*$/,
};

/** `cmd /c npx …` and `sh -c "npx …"`: a shell that only starts another program. */
function ofShell({ command, args }: Words, { notes }: Found): Words | null {
  const option = Object.hasOwn(shells, command) ? shells[command] : undefined;
  const from = option === undefined ? -1 : args.findIndex((each) => !option.test(each));
  const [program = '', ...more] = from < 1 ? [] : args.slice(from);
  // What only a shell understands stays with the shell.
  if (program === '' || /[|&;<>`]|\$\(|^cd /.test(program)) {
    return null;
  }
  notes.push(`it runs without ${[command, ...args.slice(0, from)].join(' ')}`);
  return { command: program, args: more };
}

/** Launchers that load a package as `npx` or `uvx` does. */
const packageLaunchers: readonly [words: readonly string[], here: Words][] = [
  [['bunx'], { command: 'npx', args: ['-y'] }],
  [['bun', 'x'], { command: 'npx', args: ['-y'] }],
  [['pnpx'], { command: 'npx', args: ['-y'] }],
  [['pnpm', 'dlx'], { command: 'npx', args: ['-y'] }],
  [['yarn', 'dlx'], { command: 'npx', args: ['-y'] }],
  [['npm', 'exec'], { command: 'npx', args: ['-y'] }],
  [['npm', 'x'], { command: 'npx', args: ['-y'] }],
  [['uv', 'tool', 'run'], { command: 'uvx', args: [] }],
  [['pipx', 'run'], { command: 'uvx', args: [] }],
];

function ofPackage({ command, args }: Words, { notes }: Found): Words | null {
  const all = [command, ...args];
  const [words, here] =
    packageLaunchers.find(([launcher]) => launcher.every((word, at) => all[at] === word)) ?? [];
  if (words === undefined || here === undefined) {
    return null;
  }
  const rest = all.slice(words.length).filter((word, at) => at > 1 || !/^(-y|--yes|--)$/.test(word));
  notes.push(`it runs with ${here.command} in place of ${words.join(' ')}`);
  return { command: here.command, args: [...here.args, ...rest] };
}

const engines = new Set(['docker', 'podman', 'nerdctl']);

function imageOf({ command, args }: Words, { notes, problems }: Found): PastedCommand {
  const from = args[0] === 'container' ? 1 : 0;
  if (args[from] !== 'run') {
    problems.push(
      `no server has a container engine here, so "${[command, ...args.slice(0, from + 1)].join(' ')}" cannot run: name the image with "docker", "run"`,
    );
    return { type: 'command', command, args, variables: [] };
  }
  const run = readDockerRun(args.slice(from + 1));
  notes.push(`it runs as an image in place of ${command} run`, ...run.notes);
  problems.push(...run.problems);
  return { type: 'image', image: run.image, variables: run.variables };
}

const isMcpRemote = (args: readonly string[]): boolean => {
  const request = readPackageRequest('npx', args);
  return request !== null && onlyPackage(request)?.name === 'mcp-remote';
};

/**
 * `npx mcp-remote URL` is a bridge to a remote server, and signs in with a browser, which no session has. The
 * platform has a bridge of its own.
 */
function remoteOf(args: readonly string[], { notes, problems }: Found): PastedCommand {
  const [url = '', ...options] = readPackageRequest('npx', args)?.args ?? [];
  const headers: [string, string][] = [];
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at] ?? '';
    if (option === '--header') {
      at += 1;
      const [name = '', ...text] = (options[at] ?? '').split(':');
      headers.push([name.trim(), text.join(':').trim()]);
    } else if (option === '--transport') {
      at += 1;
      if (!/^http-(only|first)$/.test(options[at] ?? '')) {
        problems.push(sseProblem(`sse`));
      }
    } else if (/^(--debug|--silent|--allow-http|\d+)$/.test(option)) {
      notes.push(`${option} of mcp-remote is left out`);
    } else {
      problems.push(`its mcp-remote is given ${option.split('=')[0]}, which has no meaning here: remove it`);
    }
  }
  notes.push('it is registered as a remote server in place of mcp-remote');
  return { type: 'remote', url, headers: Object.fromEntries(headers) };
}

/** Of a transport that remote servers do not have here. */
export const sseProblem = (transport: string): string =>
  `its transport is ${transport}, and remote servers speak Streamable HTTP here: use its address for that, which often ends in /mcp, with "type": "http"`;

const scriptRunners = /^(node|deno|bun|tsx|ts-node|python|python3|python3\.\d+|uv|ruby|php|java|Rscript)$/;
const scripts = /\.(m|c)?(js|ts)$|\.(py|pyz|rb|php|jar|sh|exe|R|csproj)$/;

const shellPrograms = /^(ba|da|z)?sh$/;
const shellOperator = /^(&&?|\|\|?|;|\d?>>?|<|2>&1)$/;

/** Why it cannot run where sessions run, whatever is installed there. */
function unrunnable({ command, args }: Words): string[] {
  if (isPathOfMachine(command)) {
    return [
      'its command is a program of the machine that the text was written for: use its package with npx or uvx, or its image with docker run',
    ];
  }
  const reference = someReference(command);
  if (reference !== null) {
    return [
      `its command has the reference ${reference.written}, which no client fills in here: write its value in its place`,
    ];
  }
  if (/^(cmd|powershell|pwsh|wsl|osascript|open|brew|sudo|zsh)$/.test(command)) {
    return [`${command} is not there where sessions run: name the program that it starts as the command`];
  }
  const operator = shellPrograms.test(command) ? undefined : args.find((each) => shellOperator.test(each));
  if (operator !== undefined) {
    return [
      `its arguments hold ${operator}, which only a shell understands: name the program alone, without what is before and after it`,
    ];
  }
  if (command === 'uv' && args.includes('run')) {
    return ['uv run starts a project of the machine that the text was written for: use its package with uvx'];
  }
  if (/^(npm|pnpm|yarn|bun)$/.test(command) && /^(run|start|--prefix)$/.test(args[0] ?? '')) {
    return [
      `${command} ${args[0]} starts a project of the machine that the text was written for: use its package with npx`,
    ];
  }
  const script = scriptRunners.test(command) ? args.find((each) => !each.startsWith('-')) : undefined;
  return script !== undefined &&
    args[0] !== '-m' &&
    args[0] !== '-c' &&
    scripts.test(script) &&
    !isHere(script)
    ? [
        `its ${command} runs ${script}, a file of the machine that the text was written for: use its package with npx or uvx, or an image`,
      ]
    : [];
}

/** Folders that the images and machines of an operator may have servers in. */
const isHere = (path: string): boolean => /^\/(opt|srv|usr|app|workspace)\//.test(path);

const known = /^(npx|uvx|node|python3?|uv|git|sh|bash)$/;

/** What the operator has to have installed, which cannot be seen from here. */
function toBeInstalled({ command, args }: Words): string[] {
  if (/^python3?$/.test(command) && args[0] === '-m') {
    return [
      `the module ${args[1] ?? ''} has to be installed where sessions run; packages run with uvx need no installation`,
    ];
  }
  return command === '' || known.test(command) || isPathOfMachine(command)
    ? []
    : [
        `${command} has to be installed where sessions run; packages run with npx or uvx need no installation`,
      ];
}

/** `uvx --from package program.exe`, as it is on Windows. */
function withoutExe(args: string[], { notes }: Found): string[] {
  return args.map((word, at) => {
    if (!/^[\w.-]+\.exe$/i.test(word) || args[at - 1] === '--from') {
      return word;
    }
    const name = word.replace(/\.exe$/i, '');
    notes.push(`it runs ${name} in place of ${word}`);
    return name;
  });
}

/** Words as a shell separates them. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}
