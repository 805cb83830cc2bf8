/** The attempts and what stopped each, printed in the suite's output. */
import type { Who } from './attempts/attempt.ts';

interface Row {
  what: string;
  by: Who | 'member';
  stoppedBy: string;
  stopped: boolean;
}

export class AttemptTable {
  private readonly rows: Row[] = [];
  private readonly title: string;

  constructor(title: string) {
    this.title = title;
  }

  /** Notes the attempt as stopped when `check` does not throw. */
  async note(row: Omit<Row, 'stopped'>, check: () => void | Promise<void>): Promise<void> {
    const noted: Row = { ...row, stopped: false };
    this.rows.push(noted);
    await check();
    noted.stopped = true;
  }

  print(): void {
    const width = Math.max(0, ...this.rows.map(({ what }) => what.length));
    const lines = this.rows.map(
      ({ what, by, stoppedBy, stopped }) =>
        `  ${by.padEnd(6)}  ${what.padEnd(width)}  ${stopped ? stoppedBy : '*** NOT STOPPED ***'}`,
    );
    process.stdout.write(`\n${this.title}: ${this.rows.length} attempts\n${lines.join('\n')}\n`);
  }
}
