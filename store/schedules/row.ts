/** The columns that make a contract `Schedule`; their names are the contract's. */
import { type Schedule, schedule } from '../../contract/schedule.ts';

export const scheduleColumns = Object.keys(schedule.shape) as (keyof Schedule)[];
