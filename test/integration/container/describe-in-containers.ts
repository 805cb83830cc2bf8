import { describe } from '@jest/globals';
import { hasContainerEngine } from '../../support/container-engine.ts';
import { platformImages } from '../../support/platform-images.ts';

/** `describe`, for tests that run sessions as containers; they are skipped without an engine. */
export const describeInContainers: typeof describe | typeof describe.skip =
  hasContainerEngine && platformImages !== null ? describe : describe.skip;
