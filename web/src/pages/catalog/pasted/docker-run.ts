/**
 * The arguments of `docker run`, as an entry that runs the image. Only what has a meaning here
 * is taken: a flag that changes how the container runs is refused, since without it the server
 * would be another one. Pure.
 */

export interface DockerRun {
  image: string;
  /** What `-e` gives it, in order; null where the value comes from the surroundings. */
  variables: { name: string; text: string | null }[];
  notes: string[];
  problems: string[];
}

/** One flag, with its value where it has one. */
export interface DockerFlag {
  name: string;
  value: string | null;
}

/** Flags without a value. Whatever else is a flag takes one, so that the image is found behind it. */
const switches = new Set(
  '-i --interactive --rm -t --tty -d --detach -q --quiet -P --publish-all --init --privileged --read-only --no-healthcheck --oom-kill-disable'.split(
    ' ',
  ),
);
const shortFlags = /^-[a-zA-Z]{2,}/;

/** What to do about a flag that no container has here. */
const remedies: readonly [RegExp, string][] = [
  [
    /^(-v|--volume|--mount|--volumes-from|--tmpfs)$/,
    'no session has files of that machine: use an image that has what it needs, and remove the flag',
  ],
  [/^--env-file$/, 'a file of that machine: write its variables as "-e", "NAME"'],
  [/^(-t|--tty)$/, 'MCP needs no terminal: remove the flag'],
  [/^(-d|--detach)$/, 'a server speaks on its standard input and output: remove the flag'],
  [
    /^(-p|-P|--publish|--publish-all|--expose)$/,
    'a server speaks on its standard input and output, and no port is opened: remove the flag if the server needs none',
  ],
  [
    /^(--network|--net|--add-host|--dns|--link|-h|--hostname)$/,
    'the network of the entry says what it reaches: remove the flag',
  ],
  [/^--entrypoint$/, 'the image runs its own ENTRYPOINT: build an image with this one'],
  [/^(-w|--workdir)$/, 'the image runs in its own WORKDIR: build an image with this one'],
  [/^(-u|--user)$/, 'each server runs as a user of its own: remove the flag'],
  [
    /^(--privileged|--cap-add|--device|--pid|--ipc|--security-opt|--userns|--gpus)$/,
    'no server has more rights than the others: use a server that runs without',
  ],
];
const otherwise = 'containers have no such setting here: remove the flag if the server runs without it';

/** Why a flag keeps an image from being registered, and what to do; null for one that has a meaning here. */
export function dockerFlagProblem({ name, value }: DockerFlag): string | null {
  const isOff = /^(false|0)$/i.test(value ?? '');
  if (/^(-i|--interactive|--rm)$/.test(name) ? !isOff : /^(-e|--env|--name|--pull)$/.test(name)) {
    return null;
  }
  const remedy = remedies.find(([pattern]) => pattern.test(name))?.[1] ?? otherwise;
  return `its container is given ${name}: ${remedy}`;
}

/** What is imported differently of a flag that has a meaning here; null for one that is as here. */
export function dockerFlagNote({ name, value }: DockerFlag): string | null {
  if (name === '--name') {
    return `${name} ${value ?? ''} is left out: the platform names containers`;
  }
  return name === '--pull'
    ? `${name} ${value ?? ''} is left out: sessions run the image that is read when the entry is saved`
    : null;
}

/** `NAME=value` or `NAME` of `-e`. */
export function dockerVariable(text: string): DockerRun['variables'][number] {
  const at = text.indexOf('=');
  return at === -1 ? { name: text, text: null } : { name: text.slice(0, at), text: text.slice(at + 1) };
}

/** Reads what follows `docker run`. */
export function readDockerRun(args: readonly string[]): DockerRun {
  const { flags, rest } = flagsOf(args);
  const [image = '', ...ofImage] = rest;
  const variables = flags
    .filter(({ name }) => name === '-e' || name === '--env')
    .map(({ value }) => dockerVariable(value ?? ''));
  return {
    image,
    variables,
    notes: flags.map(dockerFlagNote).filter((note) => note !== null),
    problems: [
      ...new Set(flags.map(dockerFlagProblem).filter((problem) => problem !== null)),
      ...(image === '' ? ['its docker run names no image'] : []),
      // Not repeated: they may hold a credential.
      ...(ofImage.length === 0 ? [] : [imageArgumentsProblem]),
    ],
  };
}

export const imageArgumentsProblem =
  'its image is given arguments, and images run without any here: use variables if the server takes them, an image that has the arguments as its CMD, or its package with npx or uvx';

function flagsOf(args: readonly string[]): { flags: DockerFlag[]; rest: string[] } {
  const flags: DockerFlag[] = [];
  const left = [...args];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    if (next === '--') {
      break;
    }
    if (!next.startsWith('-') || next === '-') {
      left.unshift(next);
      break;
    }
    const [word = '', ...assigned] = next.split('=');
    if (next.startsWith('--') || !shortFlags.test(next)) {
      const value = assigned.length > 0 ? assigned.join('=') : switches.has(word) ? null : left.shift();
      flags.push({ name: word, value: value ?? null });
      continue;
    }
    // `-it` are two switches, and `-eNAME=x` is a flag with its value.
    const name = next.slice(0, 2);
    const more = next.slice(2);
    if (switches.has(name)) {
      flags.push({ name, value: null });
      left.unshift(`-${more}`);
    } else {
      flags.push({ name, value: more.replace(/^=/, '') });
    }
  }
  return { flags, rest: left };
}
