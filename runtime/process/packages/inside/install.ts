/** Runs the package manager. What it runs in turn, such as install scripts, sees the same: packages, their proxy, nothing else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { abandonAfter } from '../../../../lib/timing/time-limit.ts';
import { packagesInside } from '../tree-stream.ts';
import { type FillOrder, registryPort } from './order.ts';

const registry = `http://127.0.0.1:${registryPort}`;

/** Where uv is in the sandbox, wherever the machine has it. */
export const uvInside = '/opt/uv/uv';

/** Child processes of the package manager may hold its output open. */
const lastOutputMs = 500;

/** Resolves to its exit code; -1 when there is no such program or it was killed. */
export async function install(order: FillOrder, env: Record<string, string | undefined>): Promise<number> {
  const { program, args, settings } = order.manager === 'npm' ? npm(order) : uv(order);
  // Separate pipes: those of this process are non-blocking, and uv exits at the first write that would block.
  const child = spawn(program, args, { env: { ...env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.pipe(process.stdout);
  child.stderr.pipe(process.stderr);
  const closed = once(child, 'close').catch(() => undefined);
  try {
    const [exitCode] = await once(child, 'exit');
    await abandonAfter(lastOutputMs, closed, () => undefined);
    return typeof exitCode === 'number' ? exitCode : -1;
  } catch (error) {
    process.stderr.write(`${program} could not be started: ${String(error)}\n`);
    return -1;
  }
}

interface Installation {
  program: string;
  args: string[];
  settings: Record<string, string>;
}

/** The proxy does the retries. */
function npm({ packages }: FillOrder): Installation {
  const options = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-package-lock', '--omit=dev'];
  return {
    program: 'npm',
    args: ['install', '--prefix', packagesInside, ...options, '--fetch-retries=0', '--', ...packages],
    settings: {
      npm_config_registry: `${registry}/npm/`,
      npm_config_cache: '/workspace/.npm',
      npm_config_logs_max: '0',
    },
  };
}

function uv({ packages: [main = '', ...more], python }: FillOrder): Installation {
  const extra = more.flatMap((each) => ['--with', each]);
  return {
    program: uvInside,
    args: [
      'tool',
      'install',
      '--no-config',
      ...(python === null ? [] : ['--python', python]),
      ...extra,
      '--',
      main,
    ],
    settings: {
      UV_DEFAULT_INDEX: `${registry}/pypi/`,
      UV_CACHE_DIR: '/workspace/.uv',
      UV_TOOL_DIR: `${packagesInside}/tools`,
      UV_TOOL_BIN_DIR: `${packagesInside}/bin`,
      UV_LINK_MODE: 'copy',
      UV_COMPILE_BYTECODE: '1',
      UV_PYTHON_DOWNLOADS: 'never',
      UV_PYTHON_PREFERENCE: 'only-system',
      UV_HTTP_RETRIES: '0',
      UV_NO_PROGRESS: '1',
      // Package builds use the same index.
      PIP_INDEX_URL: `${registry}/pypi/`,
    },
  };
}
