import type { Task } from './model.ts';

/** From the moment that it is asked. */
export interface Asked {
  firstWordsMs: number;
  endMs: number;
}

/** An agent in one conversation that goes on. */
export interface MeasuredAgent {
  /** Asks for the task, and waits for its end. */
  ask(task: Task): Promise<Asked>;
  close(): Promise<void>;
}
