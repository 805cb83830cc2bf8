/** An entry as a form holds it, and as the API takes it. */
import { mcpServerInput } from '../../../../contract/catalog.ts';
import { fieldProblemsOf } from '../../../../contract/errors.ts';
import { referencedSecretName } from '../../../../contract/names.ts';
import type { McpServer, McpServerInput } from '../../api/types.ts';
import { linesOf } from '../../text/lines.ts';
import { manifestText, readManifest } from './manifest-text.ts';

export interface EntryValues {
  name: string;
  shapeType: McpServer['shape']['type'];
  command: string;
  args: string[];
  image: string;
  /** The name of a secret; empty for none. */
  registrySecret: string;
  url: string;
  manifestText: string;
  network: McpServer['network'];
  /** One destination a line. */
  egress: string;
  approvers: McpServer['approvers'];
  clientFeatures: McpServer['client_features'];
  changedTools: McpServer['changed_tools'];
  unlistedTools: McpServer['unlisted_tools'];
  /** One name a line. */
  listedTools: string;
}

export const newEntry: EntryValues = {
  name: '',
  shapeType: 'command',
  command: '',
  args: [],
  image: '',
  registrySecret: '',
  url: '',
  manifestText: '',
  network: 'internet',
  egress: '',
  approvers: 'operator',
  clientFeatures: [],
  changedTools: 'tell',
  unlistedTools: 'allow',
  listedTools: '',
};

export function valuesOf(server: McpServer): EntryValues {
  const { name, shape, network, approvers } = server;
  return {
    ...newEntry,
    name,
    shapeType: shape.type,
    ...(shape.type === 'command' ? { command: shape.command, args: shape.args } : {}),
    ...(shape.type === 'image'
      ? { image: shape.image, registrySecret: referencedSecretName(shape.registry_secret ?? '') ?? '' }
      : {}),
    ...(shape.type === 'remote' ? { url: shape.url } : {}),
    manifestText: server.manifest_source === 'pasted' ? manifestText(server.manifest) : '',
    network,
    egress: server.egress_allow.join('\n'),
    approvers,
    clientFeatures: server.client_features,
    changedTools: server.changed_tools,
    unlistedTools: server.unlisted_tools,
    listedTools: server.listed_tools.join('\n'),
  };
}

function shapeOf({
  shapeType,
  command,
  args,
  image,
  registrySecret,
  url,
}: EntryValues): McpServerInput['shape'] {
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
      return { type: 'remote', url: url.trim() };
  }
}

/** What is sent. A manifest with problems is not part of it: `problemsOf` names them. */
export function inputOf(values: EntryValues): McpServerInput {
  const { manifest } = readManifest(values.manifestText);
  return {
    name: values.name.trim(),
    shape: shapeOf(values),
    ...(manifest === null ? {} : { manifest }),
    network: values.network,
    egress_allow: linesOf(values.egress),
    approvers: values.approvers,
    client_features: values.clientFeatures,
    changed_tools: values.changedTools,
    unlisted_tools: values.unlistedTools,
    listed_tools: linesOf(values.listedTools),
  };
}

/** The form's field for a path of the API, such as `command` for `shape.command`. */
export function fieldOf(path: string): string {
  if (path === 'shape.type') {
    return 'shapeType';
  }
  if (path === 'shape.registry_secret') {
    return 'registrySecret';
  }
  if (path.startsWith('shape.')) {
    return path.slice('shape.'.length);
  }
  const [first = ''] = path.split('.');
  return fieldsByName[first] ?? path;
}

const fieldsByName: Record<string, keyof EntryValues> = {
  egress_allow: 'egress',
  client_features: 'clientFeatures',
  changed_tools: 'changedTools',
  unlisted_tools: 'unlistedTools',
  listed_tools: 'listedTools',
  manifest: 'manifestText',
};

const fieldsOfShape: Record<EntryValues['shapeType'], RegExp> = {
  command: /^(command|args|args\.\d+)$/,
  image: /^(image|registrySecret)$/,
  remote: /^url$/,
};
const otherFields =
  /^(name|shapeType|network|egress|approvers|clientFeatures|changedTools|unlistedTools|listedTools)$/;

/** Whether the form shows a problem of this field there. Those of the manifest are listed. */
export const hasField = ({ shapeType }: EntryValues, field: string): boolean =>
  otherFields.test(field) || fieldsOfShape[shapeType].test(field);

/** Problems by field of the form, by the platform's rules; empty when it can be sent. */
export function problemsOf(values: EntryValues): Record<string, string> {
  const parsed = mcpServerInput.safeParse(inputOf(values));
  const problems = [
    ...(parsed.success ? [] : fieldProblemsOf(parsed.error)),
    ...readManifest(values.manifestText).problems,
  ];
  return Object.fromEntries(problems.reverse().map(({ path, message }) => [fieldOf(path), message]));
}

/** Accepts a secret's plain name, or the usual reference. */
const referenceTo = (text: string) => (referencedSecretName(text) === null ? `\${${text}}` : text);
