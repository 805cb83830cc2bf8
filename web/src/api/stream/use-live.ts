/** Live updates, for everything below the sign-in. */
import { createContext, useContext } from 'react';
import type { Live } from './live.ts';

export const LiveContext = createContext<Live | null>(null);

/** Null until the page has begun to listen. */
export const useLive = (): Live | null => useContext(LiveContext);
