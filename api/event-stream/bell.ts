import { abandonAfter } from '../../lib/timing/time-limit.ts';

/** Keeps a ring until the next wait, so that one between a read and the wait is not missed. */
export class Bell {
  private rung = false;
  private answer: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.ring(), { once: true });
  }

  ring(): void {
    this.rung = true;
    this.answer();
  }

  async wait(limitMs: number): Promise<void> {
    if (!this.rung) {
      const rung = new Promise<void>((resolve) => {
        this.answer = resolve;
      });
      await abandonAfter(limitMs, rung, () => undefined);
    }
    this.rung = false;
  }
}
