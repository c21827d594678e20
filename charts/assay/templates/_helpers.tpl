{{- define "assay.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "assay.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "assay.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "assay.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "assay.selectorLabels" -}}
app.kubernetes.io/name: {{ include "assay.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: manager
{{- end }}

{{- define "assay.labels" -}}
app.kubernetes.io/name: {{ include "assay.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "assay.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (printf "%s-manager" (include "assay.fullname" .)) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end }}

{{- /* The reference of an image, given as list of the root and the image. */ -}}
{{- define "assay.image" -}}
{{- $root := index . 0 }}
{{- $image := index . 1 }}
{{- $reference := $image }}
{{- if not (kindIs "string" $image) }}
{{- $reference = ternary (printf "%s@%s" $image.repository $image.digest) (printf "%s:%s" $image.repository ($image.tag | default $root.Chart.AppVersion)) (not (empty $image.digest)) }}
{{- end }}
{{- with ($root.Values.global).imageRegistry }}
{{- /* A first part with a dot or a colon, or localhost, is a host; anything else is part of the name. */ -}}
{{- $reference = printf "%s/%s" (trimSuffix "/" .) (regexReplaceAll "^([^/]*[.:][^/]*|localhost)/" $reference "") }}
{{- end }}
{{- $reference }}
{{- end }}

{{- define "assay.serviceAccountUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "assay.serviceAccountName" . }}
{{- end }}
