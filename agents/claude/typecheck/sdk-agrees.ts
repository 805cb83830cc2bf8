/** Compiles where the SDK's own types agree with those of `../sdk.ts`. */
import { query } from '@anthropic-ai/claude-agent-sdk';
import type { Query } from '../sdk.ts';

export const agreed: Query = query;
