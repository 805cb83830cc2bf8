/** An entry as a form holds it, and as the API takes it. */
import { isListableTool, mcpServerInput } from '../../../../contract/catalog.ts';
import { fieldProblemsOf } from '../../../../contract/errors.ts';
import { remoteServerProblems } from '../../../../contract/remote-server.ts';
import type { GalleryServer } from '../../../../contract/server-gallery.ts';
import type { McpServer, McpServerInput } from '../../api/types.ts';
import { linesOf } from '../../text/lines.ts';
import { manifestText, readManifest } from './manifest-text.ts';
import {
  newRemote,
  type RemoteValues,
  remoteProblems,
  remoteShapeOf,
  remoteValuesOf,
} from './remote-values.ts';
import { nameInReference, referenceTo } from './secret-reference.ts';

export interface EntryValues extends RemoteValues {
  name: string;
  shapeType: McpServer['shape']['type'];
  command: string;
  args: string[];
  image: string;
  /** The name of a secret; empty for none. */
  registrySecret: string;
  manifestText: string;
  /** Not asked of a remote server, nor its destinations. */
  network: McpServer['network'];
  /** One destination a line. */
  egress: string;
  approvers: McpServer['approvers'];
  requirePasskey: boolean;
  clientFeatures: McpServer['client_features'];
  changedTools: McpServer['changed_tools'];
  unlistedTools: McpServer['unlisted_tools'];
  /** One name a line. */
  listedTools: string;
  /** Empty for the operator's limit. */
  startSeconds: number | '';
}

export const newEntry: EntryValues = {
  ...newRemote,
  name: '',
  shapeType: 'command',
  command: '',
  args: [],
  image: '',
  registrySecret: '',
  manifestText: '',
  network: 'internet',
  egress: '',
  approvers: 'operator',
  requirePasskey: false,
  clientFeatures: [],
  changedTools: 'tell',
  unlistedTools: 'allow',
  listedTools: '',
  startSeconds: '',
};

export function valuesOf(server: McpServer): EntryValues {
  const { name, shape, network, approvers } = server;
  return {
    ...newEntry,
    name,
    shapeType: shape.type,
    ...(shape.type === 'command' ? { command: shape.command, args: shape.args } : {}),
    ...(shape.type === 'image'
      ? { image: shape.image, registrySecret: nameInReference(shape.registry_secret) }
      : {}),
    ...(shape.type === 'remote' ? remoteValuesOf(shape) : {}),
    manifestText: server.manifest_source === 'pasted' ? manifestText(server.manifest) : '',
    network,
    egress: server.egress_allow.join('\n'),
    approvers,
    requirePasskey: server.require_passkey,
    clientFeatures: server.client_features,
    changedTools: server.changed_tools,
    unlistedTools: server.unlisted_tools,
    listedTools: server.listed_tools.filter(isListableTool).join('\n'),
    startSeconds: server.start_seconds ?? '',
  };
}

/** A form that is filled in with a server of the gallery. */
export const valuesOfGallery = ({ input }: GalleryServer): EntryValues => ({
  ...newEntry,
  name: input.name,
  shapeType: input.shape.type,
  ...(input.shape.type === 'command' ? { command: input.shape.command, args: input.shape.args } : {}),
  manifestText: input.manifest === undefined ? '' : manifestText(input.manifest),
  network: input.network,
  startSeconds: input.start_seconds ?? '',
});

function shapeOf(values: EntryValues): McpServerInput['shape'] {
  const { shapeType, command, args, image, registrySecret } = values;
  switch (shapeType) {
    case 'command':
      return { type: 'command', command, args };
    case 'image':
      return {
        type: 'image',
        image: image.trim(),
        ...(registrySecret.trim() === '' ? {} : { registry_secret: referenceTo(registrySecret.trim()) }),
      };
    case 'remote':
      return remoteShapeOf(values);
  }
}

/** What is sent. A manifest with problems is not part of it: `problemsOf` names them. */
export function inputOf(values: EntryValues): McpServerInput {
  const { manifest } = readManifest(values.manifestText);
  const isRemote = values.shapeType === 'remote';
  return {
    name: values.name.trim(),
    shape: shapeOf(values),
    ...(manifest === null ? {} : { manifest }),
    // A remote server is reached over the internet, at its own address only.
    network: isRemote ? 'internet' : values.network,
    egress_allow: isRemote ? [] : linesOf(values.egress),
    approvers: values.approvers,
    require_passkey: values.requirePasskey,
    client_features: values.clientFeatures,
    changed_tools: values.changedTools,
    unlisted_tools: values.unlistedTools,
    listed_tools: linesOf(values.listedTools),
    start_seconds: values.startSeconds === '' ? null : values.startSeconds,
  };
}

/** The form's field for a path of the API, such as `command` for `shape.command`. */
export function fieldOf(path: string): string {
  const ofShape = fieldsByPath[path];
  if (ofShape !== undefined) {
    return ofShape;
  }
  if (path.startsWith('shape.')) {
    return path.slice('shape.'.length);
  }
  const [first = ''] = path.split('.');
  return fieldsByName[first]?.inForm ?? path;
}

const fieldsByPath: Record<string, keyof EntryValues> = {
  'shape.type': 'shapeType',
  'shape.registry_secret': 'registrySecret',
  'shape.client': 'clientId',
  'shape.client.client_id': 'clientId',
  'shape.client.client_secret': 'clientSecret',
};

/** The fields of an entry: which of the form it is, and what a person calls it. */
const fieldsByName: Record<string, { inForm?: keyof EntryValues; words: string }> = {
  shape: { words: 'what runs' },
  image_digest: { words: 'image' },
  image_command: { words: 'image command' },
  image_volumes: { words: 'volumes of the image' },
  manifest: { inForm: 'manifestText', words: 'manifest' },
  manifest_source: { words: 'manifest source' },
  network: { words: 'network' },
  egress_allow: { inForm: 'egress', words: 'private destinations' },
  approvers: { words: 'who can grant' },
  require_passkey: { words: 'approval with a passkey' },
  client_features: { inForm: 'clientFeatures', words: 'what it can ask of the agent' },
  changed_tools: { inForm: 'changedTools', words: 'what happens to changed tools' },
  unlisted_tools: { inForm: 'unlistedTools', words: 'other tools' },
  listed_tools: { inForm: 'listedTools', words: 'listed tools' },
  start_seconds: { inForm: 'startSeconds', words: 'limit for its start' },
};

/** A field of the API as a person calls it. */
export const fieldInWords = (name: string): string => fieldsByName[name]?.words ?? name;

const fieldsOfShape: Record<EntryValues['shapeType'], RegExp> = {
  command: /^(command|args|args\.\d+|network|egress)$/,
  image: /^(image|registrySecret|network|egress)$/,
  remote: /^(url|signInWith)$/,
};
const fieldsOfSignIn: Record<EntryValues['signInWith'], RegExp> = {
  person: /^(clientId|clientSecret)$/,
  key: /^(headers|headers\.\d+\.(name|prefix|variable))$/,
};
const otherFields =
  /^(name|shapeType|approvers|requirePasskey|clientFeatures|changedTools|unlistedTools|listedTools)$/;

/** Whether the form shows a problem of this field there. Those of the manifest are listed. */
export const hasField = ({ shapeType, signInWith }: EntryValues, field: string): boolean =>
  otherFields.test(field) ||
  fieldsOfShape[shapeType].test(field) ||
  (shapeType === 'remote' && fieldsOfSignIn[signInWith].test(field));

/** Problems by field of the form, by the platform's rules; empty when it can be sent. */
export function problemsOf(values: EntryValues): Record<string, string> {
  const parsed = mcpServerInput.safeParse(inputOf(values));
  const { problems: ofManifest } = readManifest(values.manifestText);
  const problems = [
    ...(parsed.success ? [] : fieldProblemsOf(parsed.error)),
    // Which variables it declares is known once it can be read.
    ...(parsed.success && ofManifest.length === 0 ? remoteServerProblems(parsed.data) : []),
    ...ofManifest,
  ];
  return {
    ...Object.fromEntries(problems.reverse().map(({ path, message }) => [fieldOf(path), message])),
    ...(values.shapeType === 'remote' ? remoteProblems(values) : {}),
  };
}
