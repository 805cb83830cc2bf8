/** The columns that make a contract `Session`; their names are the contract's. */
import { type Session, session } from '../../contract/session.ts';

export const sessionColumns = Object.keys(session.shape) as (keyof Session)[];
