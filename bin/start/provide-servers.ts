/** Postgres and Temporal: embedded, or those that the configuration names. */
import { join } from 'node:path';
import { keepRunning } from './keep-running.ts';
import type { PlatformKeys } from './keys.ts';
import { startPostgres } from './postgres.ts';
import { StartError } from './start-error.ts';
import type { StartPlatformOptions, Undo } from './start-options.ts';
import { startTemporal } from './temporal.ts';
import { openTemporalUi } from './temporal-ui.ts';

/** Returns the database's URL. Throws StartError. */
export async function provideDatabase(
  { config, progress }: StartPlatformOptions,
  data: string,
  keys: PlatformKeys,
  undo: Undo,
): Promise<string> {
  if (config.DATABASE_URL !== undefined) {
    progress('Postgres: the one of DATABASE_URL');
    return config.DATABASE_URL;
  }
  const options = { directory: join(data, 'postgres'), password: keys.postgres_password };
  const postgres = await startPostgres(options);
  const restart = () => startPostgres({ ...options, preferredPort: postgres.port });
  undo.push(keepRunning(postgres, { name: 'Postgres', restart, progress }));
  progress(`Postgres ${postgres.adopted ? 'still runs' : 'runs'} on port ${postgres.port}`);
  return postgres.url();
}

/** Returns the addresses of Temporal and its UI. Throws StartError. */
export async function provideTemporal(
  { config, temporalProgram, progress }: StartPlatformOptions,
  data: string,
  undo: Undo,
): Promise<{ temporalAddress: string; temporalUiUrl: string | null }> {
  if (config.TEMPORAL_ADDRESS !== undefined) {
    progress('Temporal: the one of TEMPORAL_ADDRESS');
    return { temporalAddress: config.TEMPORAL_ADDRESS, temporalUiUrl: null };
  }
  if (temporalProgram === undefined) {
    throw new StartError('The set-up has not provided a Temporal server yet. Run npm start.');
  }
  const options = { program: temporalProgram, directory: join(data, 'temporal') };
  const temporal = await startTemporal({ ...options, hasUi: true });
  const restart = () =>
    startTemporal({ ...options, hasUi: true, ui: temporal.ui, preferredPort: temporal.port });
  undo.push(keepRunning(temporal, { name: 'Temporal', restart, progress }));
  progress(`Temporal ${temporal.adopted ? 'still runs' : 'runs'} on ${temporal.address}`);
  const { ui } = temporal;
  if (ui === null) {
    return { temporalAddress: temporal.address, temporalUiUrl: null };
  }
  const door = await openTemporalUi(config.TEMPORAL_UI_PORT, ui);
  undo.push(door.close);
  return { temporalAddress: temporal.address, temporalUiUrl: door.url };
}
