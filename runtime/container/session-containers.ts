/** The containers and volumes of one session, or of all, by their labels. */
import { uuid } from '../../contract/names.ts';
import type { Engine, ListedContainer } from './engine.ts';
import { labelKeys, type SessionOnEngine, volumeName } from './names.ts';

/** Those whose labels name both the session and the installation. */
export async function sessionContainers(
  engine: Pick<Engine, 'listContainers'>,
  session: SessionOnEngine,
): Promise<ListedContainer[]> {
  return (await engine.listContainers(sessionLabel(session))).filter(
    ({ installation }) => installation === session.installation,
  );
}

/**
 * The labelled volumes, with their size and owner; not those that the engine itself created in their place.
 */
export async function sessionVolumes(
  engine: Pick<Engine, 'listVolumes'>,
  session: SessionOnEngine,
): Promise<string[]> {
  const found = await engine.listVolumes({ label: sessionLabel(session) });
  return found.filter(({ installation }) => installation === session.installation).map(({ name }) => name);
}

/** Every volume with one of the session's names, even if created by something else. */
export async function volumesOfName(engine: Engine, session: SessionOnEngine): Promise<string[]> {
  const start = volumeName(session, '');
  const found = await engine.listVolumes({ partOfName: start });
  return found.map(({ name }) => name).filter((name) => name.startsWith(start));
}

/** Every session that has a container or a volume of this installation. */
export async function listSessions(
  engine: Pick<Engine, 'listContainers' | 'listVolumes'>,
  installation: string,
): Promise<string[]> {
  const label = `${labelKeys.installation}=${installation}`;
  const found = [...(await engine.listContainers(label)), ...(await engine.listVolumes({ label }))];
  return [...new Set(found.map(({ sessionId }) => sessionId))].filter((id) => uuid.safeParse(id).success);
}

const sessionLabel = ({ sessionId }: SessionOnEngine) => `${labelKeys.session}=${uuid.parse(sessionId)}`;
