/** What a state means, which decides its colour and its icon. Pure. */
export type Tone = 'run' | 'wait' | 'ok' | 'fail' | 'refused' | 'denied' | 'idle';
