/** An agent's repository as a form holds it, and as the API takes it. */
import type { Agent } from '../../api/types.ts';

export interface RepositoryValues {
  /** Empty without one. */
  name: string;
  /** Empty for the registered path. */
  path: string;
  ref: string;
}

export const noRepository: RepositoryValues = { name: '', path: '', ref: 'main' };

export const repositoryValuesOf = (repository: Agent['repository']): RepositoryValues =>
  repository === null ? noRepository : { ...repository, path: repository.path ?? '' };

export const repositoryOf = ({ name, path, ref }: RepositoryValues): Agent['repository'] =>
  name === '' ? null : { name, path: path.trim() === '' ? null : path.trim(), ref: ref.trim() };
