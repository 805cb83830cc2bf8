/** Pure: which packages a command loads before it runs, as `npx -y some-server` and `uvx some-server` do. */

export interface PackageRequest {
  manager: 'npm' | 'uv';
  /** In the manager's own words: names with or without a version. The first is the one whose program runs. */
  packages: [string, ...string[]];
  /** The program to run; null: the one that `npx` would take. */
  program: string | null;
  /** A version of Python such as 3.12; null: the machine's. */
  python: string | null;
  /** Arguments of the program itself. */
  args: string[];
}

interface Options {
  /** Flags without effect here. */
  ignored: readonly string[];
  /** Options with a value, by the name they are collected under. */
  collected: Readonly<Record<string, string>>;
}

interface Parsed {
  values: Readonly<Record<string, string[]>>;
  /** The first word that is not an option, and what follows it. */
  rest: string[];
}

const npxOptions: Options = {
  ignored: ['-y', '--yes', '-q', '--quiet', '-s', '--silent'],
  collected: { '-p': 'package', '--package': 'package' },
};
const uvxOptions: Options = {
  ignored: ['-q', '--quiet', '-n', '--no-cache', '--isolated'],
  collected: { '--from': 'from', '--with': 'with', '-w': 'with', '--python': 'python', '-p': 'python' },
};

const npmPackage = /^(@[a-z0-9~_][\w.~-]*\/)?[a-z0-9~_][\w.~-]*(@[\w.^~*<>=| +-]+)?$/i;
const pythonPackage =
  /^[a-z0-9][\w.-]*(\[[\w., -]+\])?(\s*[=<>!~]=?\s*[\w.*+!]+(\s*,\s*[=<>!~]=?\s*[\w.*+!]+)*)?\s*$/i;
const pythonVersion = /^\d+(\.\d+){0,2}$/;
const programName = /^[a-z0-9_][\w.-]*$/i;

/**
 * Null for a command that is no package manager, and for what the cache does not support: an unknown option,
 * or a package that is named by an address or a path. Such a command runs unchanged.
 */
export function readPackageRequest(command: string, args: readonly string[]): PackageRequest | null {
  switch (command) {
    case 'npx':
      return readNpx(args);
    case 'uvx':
      return readUvx(args);
    default:
      return null;
  }
}

/**
 * The package, where it is the only one and its own program runs, with the version as it is
 * written; null otherwise.
 */
export function onlyPackage({
  manager,
  packages: [first, ...more],
  program,
}: PackageRequest): { name: string; version: string | undefined } | null {
  const [name = '', version] = first.split(manager === 'npm' ? /(?<=.)@/ : '==');
  const isOwnProgram = program === (manager === 'npm' ? null : name);
  return more.length === 0 && isOwnProgram ? { name, version } : null;
}

/** Whether the versions are exact. Dependencies stay as they were when loaded. */
export function isPinned({ manager, packages }: PackageRequest): boolean {
  const exact = manager === 'npm' ? /.@v?\d+\.\d+\.\d+([-+][\w.+-]+)?$/ : /==\s*[\w.!+]+$/;
  return packages.every((each) => exact.test(each));
}

function readNpx(args: readonly string[]): PackageRequest | null {
  const parsed = readOptions(args, npxOptions);
  const [first, ...others] = parsed?.rest ?? [];
  if (parsed === null || first === undefined) {
    return null;
  }
  const named = parsed.values['package'] ?? [];
  const [main, ...more] = named.length > 0 ? named : [first];
  const program = named.length > 0 ? first : null;
  if (main === undefined || ![main, ...more].every((each) => npmPackage.test(each))) {
    return null;
  }
  return program === null || programName.test(program)
    ? { manager: 'npm', packages: [main, ...more], program, python: null, args: others }
    : null;
}

function readUvx(args: readonly string[]): PackageRequest | null {
  const parsed = readOptions(args, uvxOptions);
  const [first, ...others] = parsed?.rest ?? [];
  if (parsed === null || first === undefined) {
    return null;
  }
  const { from = [], with: extra = [], python: versions = [] } = parsed.values;
  const main = from[0] ?? withVersion(first);
  const program = from.length > 0 ? first : (/^[\w.-]+/.exec(first)?.[0] ?? '');
  const python = versions[0] ?? null;
  const isUsable =
    from.length <= 1 &&
    [main, ...extra].every((each) => pythonPackage.test(each)) &&
    programName.test(program) &&
    (python === null || pythonVersion.test(python));
  return isUsable ? { manager: 'uv', packages: [main, ...extra], program, python, args: others } : null;
}

/** `some-server@1.2.0` is uvx's own way to write a version. */
function withVersion(text: string): string {
  const at = text.lastIndexOf('@');
  const [name, version] = at === -1 ? [text, 'latest'] : [text.slice(0, at), text.slice(at + 1)];
  return version === 'latest' ? name : `${name}==${version}`;
}

/** Null for an option that is not known here. */
function readOptions(args: readonly string[], { ignored, collected }: Options): Parsed | null {
  const values: Record<string, string[]> = {};
  for (let index = 0; index < args.length; index += 1) {
    const [option = '', ...assigned] = (args[index] ?? '').split('=');
    const name = collected[option];
    if (args[index] === '--') {
      return { values, rest: args.slice(index + 1) };
    }
    if (!option.startsWith('-')) {
      return { values, rest: args.slice(index) };
    }
    if (name !== undefined) {
      const value = assigned.length > 0 ? assigned.join('=') : args[++index];
      values[name] = [...(values[name] ?? []), value ?? ''];
    } else if (!ignored.includes(args[index] ?? '')) {
      return null;
    }
  }
  return null;
}
