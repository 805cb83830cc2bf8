/**
 * Environment variables that configuration must not set, in one list for manifests and agents
 * (docs/catalog.md#agents). They would let anyone who fills in a value, or changes the secret behind it, run
 * other code than the `run` or the entry says, before the platform's own first instruction in that container.
 */

/**
 * Which code any program loads or runs: the loader, the C library, cryptography, shells,
 * interpreters, virtual machines.
 */
const loadingPrefixes = /^(LD_|DYLD_|BASH_FUNC_|MALLOC_)/;
const loadingNames = new Set([
  // The loader, the C library and OpenSSL.
  'PATH',
  'GLIBC_TUNABLES',
  'GCONV_PATH',
  'LOCPATH',
  'NLSPATH',
  'RESOLV_HOST_CONF',
  'HOSTALIASES',
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'OPENSSL_ENGINES',
  // Shells.
  'BASH_ENV',
  'ENV',
  'SHELLOPTS',
  'BASHOPTS',
  'PROMPT_COMMAND',
  'PS4',
  'IFS',
  // Interpreters and virtual machines.
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_REPL_EXTERNAL_MODULE',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONSTARTUP',
  'PYTHONINSPECT',
  'PYTHONUSERBASE',
  'PYTHONBREAKPOINT',
  'PYTHONWARNINGS',
  'PERL5LIB',
  'PERL5OPT',
  'PERL5DB',
  'PERLLIB',
  'RUBYOPT',
  'RUBYLIB',
  'PHPRC',
  'PHP_INI_SCAN_DIR',
  'LUA_INIT',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'CLASSPATH',
  'DOTNET_STARTUP_HOOKS',
  'CORECLR_PROFILER',
  'CORECLR_PROFILER_PATH',
  'CORECLR_ENABLE_PROFILING',
]);

/**
 * What a program that already runs starts or downloads. Only for manifests: the platform loads a server's
 * packages itself, and who attaches a server did not choose its command. An agent's author did, and an agent
 * needs them: a registry for its own package manager, an SSH key for git, no pager. Its package managers run
 * in its own sandbox, without the platform's credentials.
 */
const toolPrefixes = /^GIT_CONFIG_/;
/** Package managers, which read them case-insensitively: registry, shell, configuration. */
const packageManagers = /^(npm_config_|pnpm_|yarn_|corepack_|bun_|uv_|pip_)/i;
/** Of those, what only decides how much they write and how long they wait. */
const onlyWords =
  /^(npm_config_(loglevel|silent|progress|color|fund|audit|update_notifier|fetch_(retries|timeout))|uv_(no_progress|http_timeout)|pip_(quiet|verbose|no_color|progress_bar|disable_pip_version_check|(default_)?timeout|retries))$/i;
const toolNames = new Set([
  'EDITOR',
  'VISUAL',
  'PAGER',
  'BROWSER',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'GIT_EXEC_PATH',
  'GIT_EDITOR',
  'GIT_PAGER',
  'GIT_EXTERNAL_DIFF',
  'GIT_PROXY_COMMAND',
  'GIT_TEMPLATE_DIR',
]);

/** Only for agents: what an agent reads there is the platform's word. */
const platformsOwn = /^(PLATFORM_.*|HOME)$/;

const decidesLoading = (name: string): boolean => loadingNames.has(name) || loadingPrefixes.test(name);

/** Of a variable that decides which code runs, in a manifest or an agent. */
export const codeVariable = 'decides which code a program loads; it may not be set';

/** Whether manifests must not declare this variable. Case-sensitive where the programs are. */
export function isReservedVariable(name: string): boolean {
  const isOfPackageManager = packageManagers.test(name) && !onlyWords.test(name);
  return decidesLoading(name) || toolNames.has(name) || toolPrefixes.test(name) || isOfPackageManager;
}

/** Why an agent, a sibling or a service must not set this variable; null when it may. */
export function reservedForAgents(name: string): string | null {
  if (platformsOwn.test(name)) {
    return 'is set by the platform and cannot be configured';
  }
  return decidesLoading(name) ? codeVariable : null;
}
