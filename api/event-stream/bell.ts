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

  /** Returns whether it rang within the limit. */
  async wait(limitMs: number): Promise<boolean> {
    if (!this.rung) {
      const rung = new Promise<void>((resolve) => {
        this.answer = resolve;
      });
      await abandonAfter(limitMs, rung, () => undefined);
    }
    const rang = this.rung;
    this.rung = false;
    return rang;
  }
}
