/**
 * Environment variables that decide which code any program loads or runs. A manifest must not declare them: they would let
 * anyone who fills in a value run other code inside the server, before the platform's own first instruction.
 */
const prefixes = /^(LD_|DYLD_|BASH_FUNC_|MALLOC_|GIT_CONFIG_)/;
/** Package managers, which read them case-insensitively: registry, shell, configuration. */
const packageManagers = /^(npm_config_|pnpm_|yarn_|corepack_|bun_|uv_|pip_)/i;
const names = new Set([
  // The loader and the C library.
  'PATH',
  'GLIBC_TUNABLES',
  'GCONV_PATH',
  'LOCPATH',
  'NLSPATH',
  'RESOLV_HOST_CONF',
  'HOSTALIASES',
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
  // Programs that run programs.
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
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'OPENSSL_ENGINES',
]);

/** Whether manifests must not declare this variable. Case-sensitive where the programs are. */
export function isReservedVariable(name: string): boolean {
  return names.has(name) || prefixes.test(name) || packageManagers.test(name);
}
