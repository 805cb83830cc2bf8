{{/* What every Pod of the platform has: the restricted standard, and no rights in the cluster unless it is given some. */}}
{{- define "gatepost.podSecurity" -}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10100
  runAsGroup: 10100
  fsGroup: 10100
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "gatepost.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{/* Which nodes take a Pod. `own`: the component's values. */}}
{{- define "gatepost.nodes" -}}
{{- with .own.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "gatepost.placement" -}}
{{- include "gatepost.nodes" (dict "own" (get .root.Values .component)) }}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "gatepost.selector" $ | nindent 8 }}
  {{- end }}
{{- end -}}

{{/* Where two of a name would be rendered, Kubernetes takes one and says nothing. `of`: the values' path, `taken`: variables that are there. */}}
{{- define "gatepost.refuseTaken" -}}
{{- range .names }}
{{- if has . $.taken }}
{{- fail (printf "%s: the chart sets %s itself, from other values: leave it out there" $.of .) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The variables of a container beside its ConfigMap. `own`: what the chart makes them of, `data`: that ConfigMap's, `extra` and `of`: those of the values, and their path. */}}
{{- define "gatepost.env" -}}
{{- $names := list }}
{{- range fromYamlArray .own }}{{ $names = append $names .name }}{{ end }}
{{- $extra := list }}
{{- range .extra }}
{{- if has .name $extra }}
{{- fail (printf "%s: %s is there twice" $.of .name) }}
{{- end }}
{{- $extra = append $extra .name }}
{{- end }}
{{- include "gatepost.refuseTaken" (dict "names" $extra "of" .of "taken" (concat $names (keys (fromYaml .data)))) }}
{{- .own }}
{{- with .extra }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gatepost.apiEnv" -}}
{{- include "gatepost.databaseEnv" . }}
{{- $keys := list "MASTER_KEYS" "SESSION_KEY_SEED" "APPROVAL_PRIVATE_KEY" "COOKIE_KEY" }}
{{- include "gatepost.keysEnv" (dict "root" . "names" $keys) }}
{{- include "gatepost.temporalSecretsEnv" . }}
{{- with .Values.oidc.clientSecret.existingSecret }}
- name: OIDC_CLIENT_SECRET
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.oidc.clientSecret.key }}
{{- end }}
{{- end -}}

{{- define "gatepost.workerEnv" -}}
{{- include "gatepost.databaseEnv" . }}
{{- $keys := list "MASTER_KEYS" "SESSION_KEY_SEED" "APPROVAL_PUBLIC_KEY" }}
{{- include "gatepost.keysEnv" (dict "root" . "names" $keys) }}
{{- include "gatepost.temporalSecretsEnv" . }}
{{- end -}}

{{/* No ConfigMap is there yet: what `config` says, such as a certificate authority, is said here, unless extraEnv says it. */}}
{{- define "gatepost.migrateEnv" -}}
{{- include "gatepost.databaseEnv" .root }}
{{- $extra := list }}
{{- range .extra }}{{ $extra = append $extra .name }}{{ end }}
{{- range $name, $value := .root.Values.config }}
{{- if not (has $name $extra) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "gatepost.databaseEnv" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
{{- end -}}

{{/* `names`: the keys that this component holds, and no other. */}}
{{- define "gatepost.keysEnv" -}}
{{- range .names }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.root.Values.keys.existingSecret }}
      key: {{ . }}
{{- end }}
{{- end -}}

{{- define "gatepost.temporalSecretsEnv" -}}
{{- with .Values.temporal.apiKey.existingSecret }}
- name: TEMPORAL_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.temporal.apiKey.key }}
{{- end }}
{{- with .Values.temporal.tls.existingSecret }}
{{- if $.Values.temporal.tls.authority }}
- name: TEMPORAL_TLS_CA
  valueFrom: { secretKeyRef: { name: {{ . }}, key: ca.crt } }
{{- end }}
{{- if $.Values.temporal.tls.clientCertificate }}
- name: TEMPORAL_TLS_CERT
  valueFrom: { secretKeyRef: { name: {{ . }}, key: tls.crt } }
- name: TEMPORAL_TLS_KEY
  valueFrom: { secretKeyRef: { name: {{ . }}, key: tls.key } }
{{- end }}
{{- end }}
{{- end -}}

{{/* The root is read-only; Node and the Temporal SDK write to /tmp only. */}}
{{- define "gatepost.volumes" -}}
{{- range .Values.extraVolumes }}
{{- if eq .name "tmp" }}
{{- fail "extraVolumes: the chart has a volume called tmp itself: choose another name" }}
{{- end }}
{{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 64Mi
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "gatepost.volumeMounts" -}}
{{- range .Values.extraVolumeMounts }}
{{- if eq (trimSuffix "/" .mountPath) "/tmp" }}
{{- fail "extraVolumeMounts: the chart mounts a volume at /tmp itself: choose another path" }}
{{- end }}
{{- end }}
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
