/**
 * Pure: how git is run on what nobody vouches for. Its settings are these alone: no file of the machine, of a
 * user or of the repository adds one, and nothing that a tree holds names a program.
 */

/** As the sandboxes of a fetch and of a patch see things. */
export const gitPaths = {
  /** The platform's own, never the agent's. */
  directory: '/workspace/git',
  tree: '/workspace/tree',
  /** The fetched commit, read-only: `commit` and `objects`. */
  base: '/opt/repository',
} as const;

/** The tree without files has this id in every repository. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const settings: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.pager': 'cat',
  'credential.helper': '',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  'protocol.allow': 'never',
};

const options = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

interface GitPlace {
  directory?: string;
  /** Null: none, as in a bare repository. */
  tree?: string | null;
  /** Settings of this command alone. */
  extra?: Readonly<Record<string, string>>;
}

/** The arguments of git for one command, in the platform's own repository. */
export function git(
  args: readonly string[],
  { directory = gitPaths.directory, tree = null, extra = {} }: GitPlace = {},
): string[] {
  const place = tree === null ? [] : [`--work-tree=${tree}`];
  return ['git', ...options({ ...settings, ...extra }), `--git-dir=${directory}`, ...place, ...args];
}

/**
 * In `info/attributes`, which comes before all that a tree says: files are the bytes that the commit has, so
 * that nothing is rewritten on its way in or out, and no change hides in that.
 */
export const ownAttributes = '* -text !eol -ident -filter !working-tree-encoding !diff\n';

/** Nothing of the caller's variables is in it. */
export const gitVariables: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
};

export interface FetchRequest {
  url: string;
  ref: string;
  proxy: string;
  caFile: string | null;
}

/** One commit without its history, over https, from this host alone. */
export const fetchCommand = ({ url, ref, proxy, caFile }: FetchRequest): string[] =>
  git(
    [
      ...['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-auto-gc'],
      ...['--no-write-commit-graph', '--', url, ref],
    ],
    {
      extra: {
        'protocol.https.allow': 'always',
        'http.followRedirects': 'false',
        'http.proxy': proxy,
        'http.sslVerify': 'true',
        'http.version': 'HTTP/1.1',
        'http.lowSpeedLimit': '1',
        'http.lowSpeedTime': '30',
        ...(caFile === null ? {} : { 'http.sslCAInfo': caFile }),
        'fetch.recurseSubmodules': 'false',
        'fetch.writeCommitGraph': 'false',
        // One pack, whose every object is checked.
        'fetch.unpackLimit': '1',
        'transfer.fsckObjects': 'true',
        'pack.threads': '1',
      },
    },
  );

/**
 * The host's credential goes to git by a variable: an argument list could be read. A token alone is sent as
 * the password that hosts take beside any name.
 */
export function credentialVariables(credential: string | null): Record<string, string> {
  if (credential === null) {
    return {};
  }
  // Files of tokens end with a line break, which is no part of one.
  const secret = credential.replace(/\r?\n$/, '');
  const pair = secret.includes(':') ? secret : `x-access-token:${secret}`;
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(pair).toString('base64')}`,
  };
}

/**
 * What changed between two trees, as text that `git apply` takes. It has no working tree, and no attribute
 * holds: one of the agent's could show its change as bytes that nobody reads.
 */
export const diffCommand = (from: string, to: string): string[] =>
  git(
    [
      ...[
        'diff-tree',
        '-r',
        '-p',
        '--binary',
        '--full-index',
        '--no-color',
        '--no-ext-diff',
        '--no-textconv',
      ],
      ...['--no-renames', '--submodule=short', '--src-prefix=a/', '--dst-prefix=b/', from, to],
    ],
    { extra: { 'core.bare': 'true' } },
  );

/** Read by versions of git that take attributes of a bare repository from a tree. */
export const diffVariables = { ...gitVariables, GIT_ATTR_SOURCE: emptyTree };
