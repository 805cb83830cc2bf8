/** A runtime that starts nothing and remembers what it was asked, where a driver is beside the point. */
import type { FrozenConfiguration } from '../../contract/session.ts';
import type { LaunchSecrets, MadePatch, Runtime, WorkloadState } from '../../runtime/workload.ts';

/** Tests change them; watchers are informed, as a runtime's are. */
class ObservedStates extends Map<string, WorkloadState> {
  readonly watchers = new Set<(sessionId: string) => void>();

  override set(sessionId: string, state: WorkloadState): this {
    super.set(sessionId, state);
    this.announce(sessionId);
    return this;
  }

  override delete(sessionId: string): boolean {
    const isKnown = super.delete(sessionId);
    this.announce(sessionId);
    return isKnown;
  }

  private announce(sessionId: string): void {
    for (const onChange of this.watchers) {
      onChange(sessionId);
    }
  }
}

export class RecordingRuntime implements Runtime<FrozenConfiguration> {
  readonly name = 'process';
  readonly started: { configuration: FrozenConfiguration; secrets: LaunchSecrets }[] = [];
  readonly stopped: string[] = [];
  readonly states = new ObservedStates();
  refusal: Error | null = null;
  startFailure: Error | null = null;
  /** How the patch of a running session is made. */
  patch: (signal: AbortSignal) => Promise<MadePatch> = async () => ({ patch: Buffer.from('') });

  render(configuration: FrozenConfiguration): FrozenConfiguration {
    if (this.refusal !== null) {
      throw this.refusal;
    }
    return configuration;
  }

  async start(configuration: FrozenConfiguration, secrets: LaunchSecrets): Promise<void> {
    if (this.startFailure !== null) {
      throw this.startFailure;
    }
    this.started.push({ configuration, secrets });
    this.states.set(configuration.session_id, {
      state: 'running',
      containers: [
        { name: 'sidecar', state: 'running' },
        { name: 'agent', state: 'running' },
      ],
    });
  }

  async inspect(sessionId: string): Promise<WorkloadState> {
    return this.states.get(sessionId) ?? { state: 'absent' };
  }

  watch(onChange: (sessionId: string) => void): () => void {
    this.states.watchers.add(onChange);
    for (const sessionId of this.states.keys()) {
      onChange(sessionId);
    }
    return () => this.states.watchers.delete(onChange);
  }

  async sidecarHost(): Promise<string> {
    return '127.0.0.1';
  }

  async logs(): Promise<string> {
    return '';
  }

  makePatch(_sessionId: string, signal: AbortSignal): Promise<MadePatch> {
    return this.patch(signal);
  }

  async stop(sessionId: string): Promise<void> {
    this.stopped.push(sessionId);
    this.states.delete(sessionId);
  }

  async list(): Promise<string[]> {
    return [...this.states.keys()];
  }
}
