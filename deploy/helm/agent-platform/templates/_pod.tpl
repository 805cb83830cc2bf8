{{/* What every Pod of the platform has: the restricted standard, and no rights in the cluster unless it is given some. */}}
{{- define "platform.podSecurity" -}}
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

{{- define "platform.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "platform.placement" -}}
{{- $own := get .root.Values .component -}}
{{- with $own.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "platform.selector" $ | nindent 8 }}
  {{- end }}
{{- end -}}

{{- define "platform.databaseEnv" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
{{- end -}}

{{/* `names`: the keys that this component holds, and no other. */}}
{{- define "platform.keysEnv" -}}
{{- range .names }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.root.Values.keys.existingSecret }}
      key: {{ . }}
{{- end }}
{{- end -}}

{{- define "platform.temporalSecretsEnv" -}}
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
{{- define "platform.volumes" -}}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 64Mi
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "platform.volumeMounts" -}}
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
