/**
 * Workloads that are files of a directory: they outlive their worker, and a test ends them by
 * writing what is found of them.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrozenConfiguration } from '../../../../contract/session.ts';
import type { Runtime, WorkloadState } from '../../../../runtime/workload.ts';

const lookEveryMs = 250;
const running: WorkloadState = {
  state: 'running',
  containers: [
    { name: 'sidecar', state: 'running' },
    { name: 'agent', state: 'running' },
  ],
};

export function writeState(directory: string, sessionId: string, state: WorkloadState): void {
  writeFileSync(join(directory, sessionId), JSON.stringify(state));
}

export class FileRuntime implements Runtime<FrozenConfiguration> {
  readonly name = 'process';
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  render(configuration: FrozenConfiguration): FrozenConfiguration {
    return configuration;
  }

  async start({ session_id: sessionId }: FrozenConfiguration): Promise<void> {
    if (!existsSync(join(this.directory, sessionId))) {
      writeState(this.directory, sessionId, running);
    }
  }

  async inspect(sessionId: string): Promise<WorkloadState> {
    const text = this.read(sessionId);
    return text === null ? { state: 'absent' } : JSON.parse(text);
  }

  watch(onChange: (sessionId: string) => void): () => void {
    const seen = new Map<string, string | null>();
    const look = () => {
      for (const sessionId of new Set([...seen.keys(), ...readdirSync(this.directory)])) {
        const text = this.read(sessionId);
        if (seen.get(sessionId) !== text) {
          seen.set(sessionId, text);
          onChange(sessionId);
        }
      }
    };
    look();
    const timer = setInterval(look, lookEveryMs);
    return () => clearInterval(timer);
  }

  async sidecarHost(): Promise<string> {
    return '127.0.0.1';
  }

  async logs(): Promise<string> {
    return '';
  }

  async stop(sessionId: string): Promise<void> {
    rmSync(join(this.directory, sessionId), { force: true });
  }

  async list(): Promise<string[]> {
    return readdirSync(this.directory);
  }

  private read(sessionId: string): string | null {
    try {
      return readFileSync(join(this.directory, sessionId), 'utf8');
    } catch {
      return null;
    }
  }
}
